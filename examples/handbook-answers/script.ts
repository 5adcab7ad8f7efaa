import { messageText, type ChatRequest, type Reply } from 'mastra-interlock/testing';

/** The answer of the model about each topic. The second sentence about shipping has no source. */
const topics = {
  return: 'You can return a lamp within 30 days. Returns are free.',
  ship: 'We ship to Germany, France and Italy. Norway takes about 9 days.',
  supplier: 'It offers a full refund.',
} as const;

/** The material for the judge, as `judgeGuard` writes it. */
interface Material {
  readonly nonce: string;
  readonly judged: string;
}

/** The answer of the local server: as the judge to the guard, else as the assistant, which searches first. */
export const reply = ({ messages }: ChatRequest): Reply => {
  const texts = messages.map(messageText);
  const last = texts.at(-1) ?? '';
  if (last.startsWith('{"nonce"')) {
    const { nonce, judged } = JSON.parse(last) as Material;
    const isInvented = judged.includes('Norway');
    const verdict = isInvented ? { evidence: judged.trim(), verdict: 'yes' } : { evidence: null, verdict: 'no' };
    return { kind: 'text', text: JSON.stringify({ nonce, p1: verdict }) };
  }
  const question = messages.findLast(({ role }) => role === 'user');
  const [word, answer] = Object.entries(topics).find(([topic]) => question && messageText(question).includes(topic)) ?? [];
  if (messages.at(-1)?.role !== 'tool') return { kind: 'tool-calls', calls: [{ name: 'search', args: { word: word ?? '' } }] };
  return { kind: 'text', text: answer ?? 'The handbook does not say.', chunks: 3 };
};
