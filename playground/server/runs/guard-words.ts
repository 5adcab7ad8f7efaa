import { guardView, parseTrace, traceOfKind, type Trace } from '../../../src/replay.js';
import { InterlockError, phases } from '../../../src/index.js';
import type { GuardView, Revealed, StudioEntry, TextAt } from '../../protocol/trace-entry.js';

/** The trace of a run out of its lines. */
export const traceOfLines = (lines: readonly string[]): Trace => parseTrace(lines.join('\n'));

/** Masks the hidden words of a text. */
export type ShowText = (text: string) => string;

/**
 * The input and output of the guard whose event is this entry, with the texts as they are shown in its phase. Raises
 * `studio/not-found` if the entry is not a guard's event.
 */
export const guardWords = (trace: Trace, entry: StudioEntry, showIn: (phase: string) => ShowText): GuardView => {
  const seq =
    entry.kind === 'event' ? trace.findIndex((line) => line.kind === 'event' && line.event.seq === entry.event.seq) : -1;
  const line = trace[seq];
  if (line?.kind !== 'event' || !/^guard(-bypass)?$/.test(line.event.type))
    throw new InterlockError('studio/not-found', { path: `${entry.seq}`, detail: 'the text of this verdict was not recorded' });
  const view = guardView(trace, seq);
  const { phase, processorId, path, causes } = view;
  const mask = showIn(phase);
  const show = (text: TextAt): TextAt => ({ ...text, text: mask(text.text) });
  return {
    seq: entry.seq,
    phase,
    processorId,
    path,
    received: view.received.map(show),
    returned: view.returned.map(show),
    ...(causes && { causes: causes.map((cause) => ({ ...cause, message: mask(cause.message) })) }), // an error may quote the judged text
  };
};

/** The masking of a phase's texts: words that no reader outside the run has seen are masked, unless revealed. */
export const visibleWords =
  (trace: Trace, isRevealed: boolean) =>
  (phase: string): ShowText =>
    isRevealed || isOfInput(phase) ? same : maskedWords(trace);

const same: ShowText = (text) => text;

/** Masks all words but those that readers may see. */
export const maskedWords = (trace: Trace): ShowText => maskedBy(emittedWords(trace));

/** Input comes from the caller or the agent's author, or was accepted before. */
export const isOfInput = (phase: string): boolean =>
  Object.values(phases).some((row) => row.phase === phase && row.lane === 'input');

const words = /\S+/g;

/** The words that were visible from outside: the caller's text, and released text, part by part. */
const emittedWords = (trace: Trace): ReadonlySet<string> => {
  const parts = new Map<string, string>();
  for (const { part, chunk } of traceOfKind(trace, 'left')) {
    const { partId = '' } = part;
    parts.set(partId, (parts.get(partId) ?? '') + wordsIn(chunk));
  }
  const inputTexts = traceOfKind(trace, 'input').flatMap(({ messages }) => messages.map(({ text = '' }) => text));
  return new Set([...parts.values(), ...inputTexts].flatMap((text) => (text.match(words) ?? []).map(withoutMarks)));
};

/** A word without the punctuation after it: a guard returns `[EMAIL]`, and `[EMAIL],` is sent. */
const withoutMarks = (word: string): string => word.replace(/[.,;:!?]+$/, '');

const wordsIn = (chunk: unknown): string => {
  const { text, argsTextDelta } = ((chunk ?? {}) as { payload?: { text?: string; argsTextDelta?: string } }).payload ?? {};
  return text ?? argsTextDelta ?? '';
};

const maskedBy =
  (texts: ReadonlySet<string>): ShowText =>
  (text) =>
    text.replaceAll(words, (word) => (texts.has(withoutMarks(word)) ? word : '▒'.repeat(Array.from(word).length)));

/** The text of the parts, by their entries. Parts and entries have the same order. */
export const revealedWords = (
  trace: Trace,
  entries: readonly StudioEntry[],
  { from, to }: { from: number; to: number },
): Revealed[] => {
  const received = traceOfKind(trace, 'came');
  return entries
    .filter((entry) => entry.kind === 'came')
    .map(({ seq, part: { partId } }, index) => ({
      seq,
      text: wordsIn(received[index]?.chunk),
      ...(partId !== undefined && { partId }),
    }))
    .filter(({ seq, text }) => seq >= from && seq <= to && text !== '');
};
