import type { BenchAnswer, Part } from '../model.js';

/** Characters of each delta: guards with windows put deltas together, so that what comes through is counted in characters. */
export const charsPerDelta = 8;

/** Words, and every tenth of them ends a sentence. */
const wordAt = (n: number): string => (n % 10 === 9 ? `end${n % 100}.` : `Word${n % 100}`).padEnd(charsPerDelta, ' ');

/** An answer of so many deltas in sentences. */
export const sentences = (deltas: number): BenchAnswer => ({
  parts: [
    { type: 'text-start', id: '0' },
    ...Array.from({ length: deltas }, (_, n) => ({ type: 'text-delta', id: '0', delta: wordAt(n) })),
    { type: 'text-end', id: '0' },
  ],
  content: [{ type: 'text', text: 'It is done.' }],
  reason: 'stop',
});

/** The same as the chunks that the gate is given. */
export const sentenceChunks = (deltas: number): readonly Part[] => [
  ...sentences(deltas).parts.map(({ type, id, delta }) => ({
    type,
    runId: 'bench',
    from: 'AGENT',
    payload: { id, ...(delta !== undefined && { text: delta }) },
  })),
  { type: 'finish', runId: 'bench', from: 'AGENT', payload: {} },
];

/** Reads a stream of Mastra's to its end; gives how many deltas its text is worth. */
export const countText = async (stream: AsyncIterable<unknown>): Promise<number> => {
  let chars = 0;
  for await (const chunk of stream) {
    const { type, payload } = chunk as { type: string; payload?: { text?: string } };
    if (type === 'text-delta') chars += payload?.text?.length ?? 0;
  }
  return chars / charsPerDelta;
};
