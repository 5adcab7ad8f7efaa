import { messageText, type ChatRequest, type Reply } from 'mastra-interlock/testing';

const clean = JSON.stringify({ category_scores: null, reason: null });
const harassing = JSON.stringify({
  category_scores: [{ category: 'harassment', score: 0.9 }],
  reason: 'The customer is insulted.',
});

/** Deltas of three characters, so that addresses and insults are cut. */
const replyWith = (text: string): Reply => ({ kind: 'text', text, chunks: 3 });

/** The answer of the local server: as the moderator to the guard, as the assistant to the customer. */
export const reply = ({ messages }: ChatRequest): Reply => {
  const isModerator = messages.some((message) => messageText(message).includes('content moderation'));
  const [question = ''] = messages.slice(-1).map(messageText);
  if (isModerator) return replyWith(/\bfools?\b/.test(question) ? harassing : clean);
  if (question.includes('complain')) return replyWith('Your complaint is noted. Only fools order twice. Goodbye.');
  return replyWith('Please write to returns@shop.example and ask for Dana. Returns are free for 30 days.');
};
