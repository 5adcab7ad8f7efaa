import type { MapText } from '../trace/plain-json.js';
import { createConcealedTexts } from '../trace/texts-in.js';
import { partOf, type TraceWriter } from '../trace/trace-writer.js';
import { partIdOf } from './part-ids.js';
import type { Chunk } from './ports.js';

/** Records chunks as they become visible. If secrets are concealed, texts are recorded only up to a point that splits none of them. */
export const recordEmitted = (writer: TraceWriter, conceal: MapText | undefined): ((chunk: Chunk) => void) => {
  const write = (chunk: Chunk): void => {
    const own = withoutRun(withoutSteps(chunk));
    writer.write({ kind: 'left', ...writer.place, part: partOf(chunk, partIdOf(chunk)), chunk: writer.plain(own) });
  };
  return conceal ? concealed(conceal, write) : write;
};

const concealed = (conceal: MapText, write: (chunk: Chunk) => void): ((chunk: Chunk) => void) => {
  const texts = createConcealedTexts(conceal);
  const last = new Map<string, Chunk>();
  const writeText = (chunk: Chunk, text: string): void => {
    if (text !== '') write(withWords(chunk, text));
  };
  const end = (id: string): void => {
    const rest = texts.end(id);
    const chunk = last.get(id);
    last.delete(id);
    if (chunk) writeText(chunk, rest);
  };
  return (chunk) => {
    const [id, words] = [partIdOf(chunk), wordsOf(chunk)];
    if (id !== undefined && words !== undefined) {
      last.set(id, chunk);
      return writeText(chunk, texts.push(id, words));
    }
    for (const open of id === undefined ? texts.open : [id]) end(open);
    return write(chunk);
  };
};

const wordFields = ['text', 'argsTextDelta'] as const;

const fieldOf = ({ payload }: Chunk): (typeof wordFields)[number] | undefined =>
  wordFields.find((name) => typeof (payload as Record<string, unknown> | undefined)?.[name] === 'string');

/** The text of a delta. */
const wordsOf = (chunk: Chunk): string | undefined => {
  const field = chunk.type.endsWith('-delta') ? fieldOf(chunk) : undefined;
  return field && (chunk.payload as Record<typeof field, string>)[field];
};

const withWords = (chunk: Chunk, text: string): Chunk => ({
  ...chunk,
  payload: { ...(chunk.payload as object), [fieldOf(chunk) ?? 'text']: text },
});

/** A chunk without its run id, which is in the header. */
export const withoutRun = ({ runId: _runId, ...own }: Chunk): Chunk => own;

/** The loop's own chunks repeat all steps so far; their other fields are in the events. */
const withoutSteps = (chunk: Chunk): Chunk => {
  if (!repeating.has(chunk.type)) return chunk;
  const { stepResult, messageId, tripwire } = (chunk.payload ?? {}) as Record<string, unknown>;
  return { ...chunk, payload: { messageId, stepResult, tripwire } };
};

const repeating = new Set(['step-start', 'step-finish', 'finish']);
