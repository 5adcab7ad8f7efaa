import { messageText, type ChatRequest, type Reply } from 'mastra-interlock/testing';

/** The answer of the local server: looks a guest up, or tries to write to all of them. */
export const reply = ({ messages }: ChatRequest): Reply => {
  const result = messages.findLast(({ role }) => role === 'tool');
  if (result) return { kind: 'text', text: `Done: ${messageText(result)}`, chunks: 4 };
  const wantsMail = messages.some((message) => messageText(message).includes('all guests'));
  const call = wantsMail ? { name: 'sendMail', args: { to: '*', text: 'Hi!' } } : { name: 'findGuest', args: { name: 'Dana' } };
  return { kind: 'tool-calls', calls: [call] };
};
