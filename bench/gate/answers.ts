import type { BenchAnswer, Part } from '../model.js';

/** Prose as a support desk writes it, with a number here and there; each word is a delta. */
const words =
  `Your parcel with order 1042 left our house on Monday, and it should be with you by the end of the week. The carrier tried to reach
you twice. If nobody is at home, your neighbour may take it, or you can pick it up at the shop around the corner, which is open until 8 in the
evening. Please keep the note that you will find in your letter box! Would you like me to tell them another day? `
    .replaceAll('\n', ' ')
    .split(/(?<= )/u);

const wordAt = (n: number): string => words[n % words.length] ?? '';

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

/** How many deltas so many characters are: guards with windows put deltas together, so that what comes through is counted so. */
export const deltasIn = (chars: number): number => {
  let deltas = 0;
  for (let left = chars; left > 0; deltas += 1) left -= wordAt(deltas).length;
  return deltas;
};

/** Reads a stream of Mastra's to its end; gives how many deltas its text is worth. */
export const countText = async (stream: AsyncIterable<unknown>): Promise<number> => {
  let chars = 0;
  for await (const chunk of stream) {
    const { type, payload } = chunk as { type: string; payload?: { text?: string } };
    if (type === 'text-delta') chars += payload?.text?.length ?? 0;
  }
  return deltasIn(chars);
};
