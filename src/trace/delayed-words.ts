import type { GuardReport, Reports } from '../phase/scope.js';
import { pass, type Author } from '../verdict.js';

interface DelayedWords {
  /** Takes a report. Passes it on once it is clear whether the guard changed words. */
  readonly report: Reports['reportGuard'];
  /** Removes the words that a guard has not returned by now. */
  settle(): void;
}

/** The words of a part that a guard has not returned yet, and the reports that depend on them. */
interface Delayed {
  readonly words: string;
  readonly reports: readonly GuardReport[];
}

const nothing: Delayed = { words: '', reports: [] };

/**
 * A stock agent buffers nothing for its guards. A guard that needs more than a chunk keeps words, and returns them with a later
 * chunk. Such chunks are edits only if other words come back, or none.
 */
export const delayedWords = (report: Reports['reportGuard']): DelayedWords => {
  const parts = new Map<Author, Map<string, Delayed>>();
  const settle = ({ reports }: Delayed, isEdit: boolean): void => {
    for (const one of reports) report(isEdit ? one : { ...one, verdict: pass });
  };
  return {
    report: (one) => {
      const [received, emitted] = [chunkIn(one.given), emittedIn(one)];
      if (!received || !emitted) return report(one);
      const own = parts.get(one.author) ?? new Map<string, Delayed>();
      parts.set(one.author, own);
      const { words, reports } = own.get(received.id) ?? nothing;
      if (words === '' && received.words === emitted.words) return report(one);
      const due = words + received.words;
      const isSame = due.startsWith(emitted.words);
      const delayed = { words: isSame ? due.slice(emitted.words.length) : '', reports: [...reports, one] };
      own.set(received.id, delayed.words === '' ? nothing : delayed);
      return delayed.words === '' ? settle(delayed, !isSame) : undefined;
    },
    settle: () => {
      for (const own of parts.values()) for (const delayed of own.values()) settle(delayed, true);
      parts.clear();
    },
  };
};

interface WordsOfChunk {
  readonly id: string;
  readonly words: string;
}

/** The words that left the guard. Undefined if it stopped the run. */
const emittedIn = ({ verdict, given }: GuardReport): WordsOfChunk | undefined => {
  if (verdict.kind === 'pass') return chunkIn(given);
  return verdict.kind === 'edit' ? chunkIn(verdict.data) : undefined;
};

/** The words of the chunk in a payload. Undefined if the payload has no chunk. */
const chunkIn = (payload: unknown): WordsOfChunk | undefined => {
  const { part } = (payload ?? {}) as { part?: { payload?: Partial<Record<string, string>> } | null };
  if (part === undefined) return undefined;
  const { id, toolCallId, text, argsTextDelta } = part?.payload ?? {};
  return { id: id ?? toolCallId ?? '', words: text ?? argsTextDelta ?? '' };
};
