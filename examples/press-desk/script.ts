import { messageText, type ChatRequest, type Reply } from 'mastra-interlock/testing';

const replyWith = (text: string): Reply => ({ kind: 'text', text });
const ask = (name: string, prompt: string): Reply => ({ kind: 'tool-calls', calls: [{ name, args: { prompt } }] });

/** The answer of the local server: as one of the sub-agents, or as the supervisor, which calls one of them first. */
export const reply = ({ messages }: ChatRequest): Reply => {
  const texts = messages.map(messageText);
  const isOf = (instructions: string): boolean => texts[0]?.includes(instructions) ?? false;
  if (isOf('published texts')) return replyWith('Dana Reed comments on it: dana@lamps.example.');
  if (isOf('about products')) return replyWith('The next lamp is Project Firefly, in May.');
  const question = messages.findLast(({ role }) => role === 'user');
  const isAboutReport = question !== undefined && messageText(question).includes('report');
  if (messages.at(-1)?.role !== 'tool')
    return isAboutReport ? ask('agent-archive', 'Who comments?') : ask('agent-product', 'What is next?');
  return replyWith(
    isAboutReport ? `The archive says: ${texts.at(-1)?.match(/Dana[^"]*/)?.[0] ?? ''}` : 'We do not comment on future products.',
  );
};
