import { messageText, type ChatRequest, type Reply } from 'mastra-interlock/testing';

/** The answer of the local server: it counts the questions that it gets. */
export const reply = ({ messages }: ChatRequest): Reply => {
  const questions = messages.filter(({ role }) => role === 'user').map(messageText);
  return { kind: 'text', text: `Question ${questions.length}: ask dana.whitfield@example.com.`, chunks: 4 };
};
