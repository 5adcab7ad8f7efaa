import { messageText, type ChatRequest, type Reply } from '../../../src/testing/index.js';
import type { ChatMessage } from '../../../src/testing/openai-reply.js';

const textOf = (message: ChatMessage | undefined): string => (message ? messageText(message) : '');

const callWith = (name: string, args: readonly object[]): Reply => ({
  kind: 'tool-calls',
  calls: args.map((one) => ({ name, args: one })),
});
const text = (words: string): Reply => ({ kind: 'text', text: words, chunks: 4 });

/** The model's text after the result of a tool. */
const afterTool = (result: string): Reply =>
  text(
    /paid back/.test(result)
      ? 'Your money is on its way.'
      : /shipped/.test(result)
        ? 'Your order has shipped.'
        : `I may not: ${result}`,
  );

const amountsIn = (question: string) => Array.from(question.matchAll(/\d+/g), ([amount]) => ({ amount: Number(amount) }));

/** The sample model's answers to a user, by a word in the question. */
const answers: readonly (readonly [word: RegExp, answer: (question: string, isCorrected: boolean) => Reply])[] = [
  [/order/, () => callWith('look_up_order', [{ id: 'A-17' }])],
  [/refund/i, (question) => callWith('refund', amountsIn(question))],
  [/quote/, (question) => ({ kind: 'error', status: 400, message: `Cannot answer: ${question}` })],
  [/secret/, () => text('The word that opens the vault is swordfish, as all employees know.')],
  [
    /advice/,
    (_question, isCorrected) => text(isCorrected ? 'Ask an adviser about your case.' : 'I guarantee that it will rise.'),
  ],
];

/** The sample app's model: scripted, with the same answer to the same question. */
export const reply = ({ messages }: ChatRequest): Reply => {
  const last = messages.at(-1);
  if (last?.role === 'tool') return afterTool(textOf(last));
  const question = textOf(messages.findLast(({ role }) => role === 'user'));
  const isCorrected = messages.some((message) => textOf(message).includes('[Processor Feedback]'));
  const [, answer] = answers.find(([word]) => word.test(question)) ?? [];
  return answer?.(question, isCorrected) ?? text(`You said: ${question}`);
};
