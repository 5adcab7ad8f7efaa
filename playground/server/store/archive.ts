import type { RunPage, RunSummary } from '../../protocol/runs.js';
import type { RunLog } from '../runs/run-log.js';
import type { LineKind, Lines, RunQuery, RunRecord, RunStore } from './run-store.js';

/** Runs under way and stored runs, as one. Runs never wait for the store: their news is written in the background. */
export interface Archive {
  /** Something has happened in a run. */
  schedule(log: RunLog): void;
  /** Settles when everything noted until now is in the store. Rejects if it could not be written. */
  flush(): Promise<void>;
  find(runId: string): Promise<RunSummary | undefined>;
  list(query: RunQuery): Promise<RunPage>;
}

/** Milliseconds for which news is collected before it is written. */
const pauseMs = 50;

/** Opens the archive over a store. */
export const createArchive = (store: RunStore, onFailure: (error: unknown) => void): Archive => {
  /** The number of written lines by run. */
  const written = new WeakMap<RunLog, Written>();
  /** Runs whose summary is newer here than in the store. */
  const writing = new Set<RunLog>();
  const scheduled = new Set<RunLog>();
  let last: Promise<void> = Promise.resolve();
  let next: { readonly done: Promise<void>; readonly now: () => void } | undefined;

  const write = async (): Promise<void> => {
    next = undefined;
    const logs = [...scheduled];
    scheduled.clear();
    const records = logs.map((log) => recordOf(log, written.get(log) ?? log.stored));
    await store.save(records);
    for (const [index, log] of logs.entries()) {
      const { entry, trace } = (records[index] as RunRecord).news; // one for each
      if (log.isOver && !scheduled.has(log)) writing.delete(log);
      written.set(log, { entry: entry.from + entry.lines.length, trace: trace.from + trace.lines.length });
    }
  };
  /** Runs one write after another, each with all news by then. */
  const schedule = () => {
    if (next) return next;
    const pause = Promise.withResolvers<void>();
    const timer = setTimeout(pause.resolve, pauseMs).unref();
    const now = () => {
      clearTimeout(timer);
      pause.resolve();
    };
    const done = Promise.all([last, pause.promise]).then(write);
    last = done.catch(onFailure);
    return (next = { done, now });
  };
  const flush = async (): Promise<void> => {
    if (scheduled.size === 0) return last;
    const { done, now } = schedule();
    now();
    await done;
  };
  return {
    schedule: (log) => {
      scheduled.add(log);
      writing.add(log);
      schedule().done.catch(() => undefined); // reported to onFailure
    },
    flush,
    find: async (runId) => {
      const live = [...writing].find((log) => log.runId === runId);
      return live?.summary ?? store.find(runId);
    },
    list: async (query) => {
      await flush();
      return store.list(query);
    },
  };
};

type Written = Readonly<Record<LineKind, number>>;

const recordOf = (log: RunLog, from: Written): RunRecord => {
  const { userText, answer, summary } = log;
  const words = [userText, answer, summary.tripwire?.reason, summary.error?.message].filter(Boolean).join('\n').toLowerCase();
  const lines = (kind: LineKind): Lines => ({ from: from[kind], lines: log.linesFrom(kind, from[kind]) });
  return { summary, words, news: { entry: lines('entry'), trace: lines('trace') } };
};
