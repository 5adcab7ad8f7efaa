import { attempted } from '../../../src/phase/awaitable.js';
import { wordsOfChunk } from '../../../src/trace/plain-json.js';
import { phaseRow } from '../../../src/phase/table.js';
import {
  observers,
  type GuardedRun,
  type GuardedRunFacts,
  type GuardReports,
  type GuardsNews,
  type GuardsObserver,
} from '../../../src/trace/observers.js';
import { parentCall } from '../../../src/trace/parent-call.js';
import { createRecorder } from '../../../src/trace/recorder.js';
import type { GuardReport, Reports } from '../../../src/phase/scope.js';
import { type Author, pass } from '../../../src/verdict.js';

/** Observes the guards of every run in this process outside of our loop. Returns a function that stops the observation. */
export const observeGuards = (observer: GuardsObserver): (() => void) => {
  const all = observers();
  all.guardsObservers.add(observer);
  all.openGuardReports ??= createGuardReports;
  return () => {
    all.guardsObservers.delete(observer);
    if (all.guardsObservers.size === 0) delete all.openGuardReports;
  };
};

/** The fields of a payload that locate it in its run. */
interface PayloadLocation {
  readonly phase: string;
  readonly stepNumber?: number;
  readonly part?: { readonly type?: string };
  readonly messages?: readonly {
    readonly role: string;
    readonly content?: { readonly parts?: readonly { readonly text?: unknown }[] };
  }[];
}

const createGuardReports = (facts: GuardedRunFacts): GuardReports => {
  const run: GuardedRun = { ...facts, parent: parentCall() };
  let stepNumber = 0;
  const reported = new Set<string>();
  const publish = (news: GuardsNews): void => {
    for (const observer of observers().guardsObservers) attempted(() => observer(run, news));
  };
  const recorder = createRecorder({
    runId: run.runId,
    position: () => ({ stepNumber, attempt: 1 }), // the host does not report the attempt
    wallClock: Date.now,
    onEvent: (event) => publish({ kind: 'event', event }),
  });
  const words = delayedWords(recorder.reportGuard);
  return {
    reports: { ...recorder, reportGuard: words.report },
    ask: (data: PayloadLocation) => {
      const { phase, part } = data;
      const { cadence, lane } = phaseRow(phase);
      if (cadence !== 'chunk' || part?.type === 'finish') words.settle();
      if (cadence !== 'chunk' || isEnd.test(part?.type ?? '')) recorder.flush();
      stepNumber = data.stepNumber ?? stepNumber;
      const key = `${phase} ${stepNumber}`;
      if (reported.has(key)) return; // each step of a workflow calls guards with the same payload, and a stream for each chunk
      reported.add(key);
      publish({ kind: 'asked', phase, lane, stepNumber, userText: userText(data) });
    },
  };
};

/** The chunks that end the stream of a step. The sums of its guards are reported before them. */
const isEnd = /^(?:step-)?finish$/;

const userText = ({ messages }: PayloadLocation): string | undefined =>
  messages
    ?.findLast(({ role }) => role === 'user')
    ?.content?.parts?.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n');

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
 * Mastra's own agent buffers nothing for its guards. A guard that needs more than a chunk keeps words, and returns them with a later
 * chunk. Such chunks are edits only if other words come back, or none.
 */
const delayedWords = (report: Reports['reportGuard']): DelayedWords => {
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
  const { id, toolCallId } = part?.payload ?? {};
  return { id: id ?? toolCallId ?? '', words: wordsOfChunk(part ?? {}) ?? '' };
};
