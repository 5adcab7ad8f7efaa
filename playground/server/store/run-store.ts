import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { RunPage, RunSort, RunSummary } from '../../protocol/runs.js';

/** The lines of a run: its entries for pages, and its recorded trace, which includes text that was not released. */
export type LineKind = 'entry' | 'trace';

/** Lines of JSON from a number on. */
export interface Lines {
  readonly from: number;
  readonly lines: readonly string[];
}

/** What is new of a run. */
export interface RunRecord {
  readonly summary: RunSummary;
  /** What it is found by, in small letters: what was said, the accepted answer, and why it ended. */
  readonly words: string;
  readonly news: Readonly<Record<LineKind, Lines>>;
}

/** Which runs are wanted; what is absent does not matter. */
export interface RunQuery {
  readonly status?: string;
  readonly guard?: string;
  readonly agent?: string;
  readonly thread?: string;
  /** The run whose tools they are a part of. */
  readonly parent?: string;
  /** Letters that stand in its words, whatever their case. */
  readonly text?: string;
  /** Started then or later, in epoch milliseconds. */
  readonly since?: number;
  /** Default `'time'`. */
  readonly sort?: RunSort;
  /** The `next` of the page before. */
  readonly before?: string;
  readonly limit: number;
}

/** Which lines of a run are wanted. */
export interface LineQuery {
  readonly runId: string;
  readonly kind: LineKind;
  readonly from: number;
  readonly limit: number;
}

/** Where runs and conversations are kept; the oldest run that is over is forgotten first, and a conversation with its last run. */
export interface RunStore {
  save(records: readonly RunRecord[]): Promise<void>;
  find(runId: string): Promise<RunSummary | undefined>;
  /** The most of what it is sorted by first; of equals the newest. */
  list(query: RunQuery): Promise<RunPage>;
  lines(query: LineQuery): Promise<readonly string[]>;
  /** Runs that went on or rested in a process that is gone. */
  abandoned(): Promise<readonly RunSummary[]>;
  readConversation(threadId: string): Promise<readonly MastraDBMessage[]>;
  writeConversation(threadId: string, messages: readonly MastraDBMessage[]): Promise<void>;
  close(): Promise<void>;
}

/** How much is kept. */
export interface StoreBounds {
  /** Runs at most, at least 1. Default 1,000. */
  readonly maxRuns?: number;
  /** The maximum size of all lines in bytes, at least 1; the newest run is kept regardless of its size. Default 256 MiB. */
  readonly maxBytes?: number;
}

const defaultBounds: Required<StoreBounds> = { maxRuns: 1_000, maxBytes: 256 * 1024 * 1024 };

/** A run as bounds look at it. */
export interface BoundedRun {
  readonly summary: Pick<RunSummary, 'runId' | 'threadId' | 'status'>;
  readonly bytes: number;
}

/** The runs to forget, so that the rest is within bounds. What goes on is not forgotten, and neither is the newest. */
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

/** How many bytes what is new of a run takes. */
export const bytesOf = ({ news }: RunRecord): number =>
  [...news.entry.lines, ...news.trace.lines].reduce((bytes, line) => bytes + Buffer.byteLength(line), 0);

/** A page of runs, out of one run more than it may hold. */
export const pageOf = (found: readonly RunSummary[], { limit }: RunQuery): RunPage => {
  const runs = found.slice(0, limit);
  const last = runs.at(-1);
  return { runs, ...(found.length > limit && last && { next: last.runId }) };
};
