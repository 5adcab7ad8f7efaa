import type { StoredMessage } from '../runs/conversations.js';
import type { RunPage, RunSort, RunSummary } from '../../protocol/runs.js';

/** The lines of a run: its entries for pages, and its recorded trace, which includes text that was not released. */
export type LineKind = 'entry' | 'trace';

/** Lines of JSON from a number on. */
export interface Lines {
  readonly from: number;
  readonly lines: readonly string[];
}

/** The news of a run. */
export interface RunRecord {
  readonly summary: RunSummary;
  /** Its search text, in lower case: input, accepted answer, and the reason of its end. */
  readonly words: string;
  readonly news: Readonly<Record<LineKind, Lines>>;
}

/** The filter for runs; missing fields match all. */
export interface RunQuery {
  readonly status?: string;
  readonly guard?: string;
  readonly agent?: string;
  readonly thread?: string;
  /** The run whose tools started them. */
  readonly parent?: string;
  /** Text in its search text, in any case. */
  readonly text?: string;
  /** Started then or later, in epoch milliseconds. */
  readonly since?: number;
  /** Default `'time'`. */
  readonly sort?: RunSort;
  /** The `next` of the previous page. */
  readonly before?: string;
  readonly limit: number;
}

/** Selects lines of a run. */
export interface LineQuery {
  readonly runId: string;
  readonly kind: LineKind;
  readonly from: number;
  readonly limit: number;
}

/** Storage of runs and conversations. It deletes the oldest ended run first, and a conversation with its last run. */
export interface RunStore {
  save(records: readonly RunRecord[]): Promise<void>;
  find(runId: string): Promise<RunSummary | undefined>;
  /** Sorted in descending order; equal values by time, newest first. */
  list(query: RunQuery): Promise<RunPage>;
  lines(query: LineQuery): Promise<readonly string[]>;
  /** Runs that were under way or suspended in a process that is gone. */
  abandoned(): Promise<readonly RunSummary[]>;
  readConversation(threadId: string): Promise<readonly StoredMessage[]>;
  writeConversation(threadId: string, messages: readonly StoredMessage[]): Promise<void>;
  close(): Promise<void>;
}

/** The limits of storage. */
export interface StoreBounds {
  /** The maximum number of runs, at least 1. Default 1,000. */
  readonly maxRuns?: number;
  /** The maximum size of all lines in bytes, at least 1; the newest run is kept regardless of its size. Default 256 MiB. */
  readonly maxBytes?: number;
}

const defaultBounds: Required<StoreBounds> = { maxRuns: 1_000, maxBytes: 256 * 1024 * 1024 };

/** The fields of a run that bounds need. */
export interface BoundedRun {
  readonly summary: Pick<RunSummary, 'runId' | 'threadId' | 'status'>;
  readonly bytes: number;
}

/** The runs to delete, so that the rest is within bounds. Runs under way are kept, and so is the newest. */
export const beyondBounds = (oldestFirst: readonly BoundedRun[], bounds: StoreBounds): BoundedRun[] => {
  const { maxRuns, maxBytes } = { ...defaultBounds, ...bounds };
  let runs = oldestFirst.length;
  let bytes = oldestFirst.reduce((sum, run) => sum + run.bytes, 0);
  return oldestFirst.slice(0, -1).filter((run) => {
    if ((runs <= maxRuns && bytes <= maxBytes) || run.summary.status === 'running') return false;
    runs -= 1;
    bytes -= run.bytes;
    return true;
  });
};

/** The size of a run's news in bytes. */
export const bytesOf = ({ news }: RunRecord): number =>
  [...news.entry.lines, ...news.trace.lines].reduce((bytes, line) => bytes + Buffer.byteLength(line), 0);

/** A page of runs, from one run more than its limit. */
export const pageOf = (found: readonly RunSummary[], { limit }: RunQuery): RunPage => {
  const runs = found.slice(0, limit);
  const last = runs.at(-1);
  return { runs, ...(found.length > limit && last && { next: last.runId }) };
};
