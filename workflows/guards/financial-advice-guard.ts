import type { MastraDBMessage } from '@mastra/core/agent/message-list';

import {
  editing,
  type GuardOptions,
  type GuardProcessor,
  unchanged,
  checkOptions,
  type KindsOf,
  sharedKinds,
} from './guard-options.js';
import { aName } from '../../src/option-kind.js';
import { newestUserTurn, textOf } from '../messages/read-messages.js';
import { lazyRegex } from '../../src/phase/memo.js';

export interface FinancialAdviceGuardOptions extends GuardOptions {
  /** The system message that is added to each step. Default: {@link financialAdviceReminder}. */
  reminder?: string;
}

/** The default reminder for the model. */
export const financialAdviceReminder =
  'The user mentions money. Give general information only: do not give individual financial advice, do not recommend to buy, ' +
  'sell or hold anything, and suggest a licensed adviser for personal decisions.';

const optionKinds: KindsOf<FinancialAdviceGuardOptions> = { ...sharedKinds, reminder: aName };

/**
 * A guard (id `financial-advice`) for the branch for mentions of money: it adds a system message to each step, next to the
 * existing ones. It does not judge.
 */
export const financialAdviceGuard = (options: FinancialAdviceGuardOptions = {}): GuardProcessor<'processInputStep'> => {
  checkOptions('financial-advice', options, optionKinds);
  const { reminder = financialAdviceReminder } = options;
  return {
    id: options.id ?? 'financial-advice',
    name: 'Financial advice',
    description: 'Reminds the model not to give individual financial advice.',
    onViolation: options.onViolation,
    traits: editing,
    processInputStep: ({ systemMessages }) =>
      systemMessages.some(({ content }) => content === reminder)
        ? unchanged
        : { systemMessages: [...systemMessages, { role: 'system' as const, content: reminder }] },
  };
};

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
