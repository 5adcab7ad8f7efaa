import { messageText, type ChatRequest, type Reply } from 'mastra-interlock/testing';

/** The answer of the local server. */
export const reply = ({ messages }: ChatRequest): Reply => {
  const [question = ''] = messages.slice(-1).map(messageText);
  const text = question.includes('key')
    ? 'Dana has it. The password: tr0ub4dor-and-3 opens the door, too.'
    : question.includes('address')
      ? 'It is care@house.example.'
      : 'You are welcome.';
  return { kind: 'text', text, chunks: 3 };
};
