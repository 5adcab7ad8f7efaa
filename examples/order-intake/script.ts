import { messageText, type ChatRequest, type Reply } from 'mastra-interlock/testing';

const order = (items: readonly object[]): Reply => ({
  kind: 'text',
  text: JSON.stringify({ customer: 'Ada', items }),
  chunks: 6,
});

/** The answer of the local server: first an order without amounts, which is rejected; then the order that the conversation contains. */
export const reply = ({ messages }: ChatRequest): Reply => {
  const conversation = messages.map(messageText).join('\n');
  if (conversation.includes('one candle more'))
    return order([{ name: 'candle', quantity: conversation.includes('twelve candles') ? 13 : 1 }]);
  return conversation.includes('[Processor Feedback]') ? order([{ name: 'candle', quantity: 12 }]) : order([{ name: 'candle' }]);
};
