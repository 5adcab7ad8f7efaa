import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { newestUserTurn, textOf } from '../messages/message-text.js';
import { lazyRegex } from '../../src/phase/lazy-regex.js';

const amount = /(?:[$€£¥₹₿]|\b(?:usd|eur|gbp|chf|jpy)) ?\d|\d ?(?:[€£$¥₹]|(?:usd|eur|gbp|chf|jpy|dollars?|euros?)\b)/i;
const topic = lazyRegex(
  String.raw`(?<!\p{L})(?:money|invest(?:s|ed|ing|ments?|ors?)?|stocks|stock (?:market|prices?|options?|exchange|picks?)|(?:buy|sell|short|own) (?:\w+ )?(?:stock|shares|gold|bonds)|shares|bonds|etfs?|(?:mutual|index|hedge|pension) funds?|dividends?|mortgages?|loans?|debts?|pensions?|retire(?:ment)?|401\(?k\)?|roth ira|interest rates?|savings?|trading|forex|brokers?|brokerage|capital gains|crypto\w*|bitcoin|ethereum|credit (?:cards?|scores?)|inflation|financ(?:e[sd]?|ial(?:ly)?)|budget|salary|tax(?:es)?|geld|aktien?|anlegen|kredite?|hypothek|rente|zinsen|argent|bourse|actions en bourse|prêt|épargne|dinero|acciones|inversión|invertir|hipoteca|préstamo)(?!\p{L})`,
  'iu',
);

/**
 * A branch condition: whether the user's newest turn is about money, an amount or a financial topic. False for a payload
 * without messages, such as a single chunk of a stream.
 */
export const mentionsMoney = ({ inputData }: { inputData: unknown }): boolean => {
  const text = newestUserTurn(messagesOf(inputData)).map(textOf).join('\n');
  return amount.test(text) || topic().test(text);
};

const messagesOf = (payload: unknown): MastraDBMessage[] =>
  typeof payload === 'object' && payload !== null && 'messages' in payload && Array.isArray(payload.messages)
    ? (payload.messages as MastraDBMessage[]) // the payload's schema checked them
    : [];
