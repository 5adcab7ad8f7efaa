import { InterlockError } from '../../../src/index.js';
import { traceOfKind, type Trace } from '../../../src/replay.js';
import { createRandom } from '../../../src/testing/cuts.js';
import { cutText } from '../../../src/testing/stream-shapes.js';
import type { Cutting, LabStream } from '../../protocol/workbench.js';

/** Reads the trace of a recorded run. */
export type ReadTrace = (runId: string) => Promise<Trace>;

/** The text of a stream in its pieces. Arguments of a tool are cut as JSON. */
export const cutStream = async ({ text, kind, cutting }: LabStream, readTrace: ReadTrace): Promise<string[]> => {
  if (cutting.kind === 'recorded') return recordedDeltas(await readTrace(cutting.runId), cutting, kind);
  return cut(Array.from(kind === 'tool-input' && !isJsonObject(text) ? cutText('arguments', text) : text), cutting);
};

const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

const cut = (characters: readonly string[], cutting: Exclude<Cutting, { kind: 'recorded' }>): string[] => {
  switch (cutting.kind) {
    case 'characters':
      return [...characters];
    case 'random':
      return cutAt(characters, randomEdges(characters.length, cutting));
    case 'by-hand':
      return cutAt(characters, new Set(cutting.at));
    default:
      return cutting satisfies never;
  }
};

const cutAt = (characters: readonly string[], edges: ReadonlySet<number>): string[] => {
  const pieces: string[] = [];
  for (const [index, character] of characters.entries()) {
    if (index === 0 || edges.has(index)) pieces.push(character);
    else pieces[pieces.length - 1] += character;
  }
  return pieces;
};

/** Each position is cut with the same probability, so that pieces have the requested mean length. */
const randomEdges = (length: number, { seed, mean }: { seed: number; mean: number }): ReadonlySet<number> => {
  const random = createRandom(seed);
  return new Set(Array.from({ length }, (_, index) => index).filter(() => random() < 1 / mean));
};

const deltaTypes = { text: 'text-delta', reasoning: 'reasoning-delta', 'tool-input': 'tool-call-delta' } as const;

const recordedDeltas = (
  trace: Trace,
  { runId, stepNumber, attempt }: Extract<Cutting, { kind: 'recorded' }>,
  kind: LabStream['kind'],
): string[] => {
  const received = traceOfKind(trace, 'came').filter(
    (entry) => entry.stepNumber === stepNumber && entry.attempt === attempt && entry.part.type === deltaTypes[kind],
  );
  const [first] = received;
  if (!first)
    throw new InterlockError('studio/not-found', {
      path: runId,
      detail: `no ${kind} was received in step ${stepNumber}, attempt ${attempt}`,
    });
  return received.filter(({ part }) => part.partId === first.part.partId).map(({ chunk }) => wordsOf(chunk));
};

const wordsOf = (chunk: unknown): string => {
  const { text, argsTextDelta } = ((chunk ?? {}) as { payload?: { text?: string; argsTextDelta?: string } }).payload ?? {};
  return text ?? argsTextDelta ?? '';
};
