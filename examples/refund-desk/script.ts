import { messageText, type ChatRequest, type Reply } from 'mastra-interlock/testing';

/** The answer of the local server: a look at the order, a refund of it, then the outcome. */
export const reply = ({ messages }: ChatRequest): Reply => {
  const results = messages.filter(({ role }) => role === 'tool').map(messageText);
  const last = results.at(-1);
  if (last === undefined) return { kind: 'tool-calls', calls: [{ name: 'lookUpOrder', args: { orderId: '1042' } }] };
  if (results.length === 1) return { kind: 'tool-calls', calls: [{ name: 'refund', args: { orderId: '1042', euros: 250 } }] };
  return {
    kind: 'text',
    text: last.includes('paid back') ? 'Your 250 euros are on their way.' : 'I am sorry, a colleague declined it.',
  };
};
