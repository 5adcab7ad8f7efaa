import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { RunPage, RunSummary } from '../../protocol/runs.js';

/** What is new of a run. */
export interface RunRecord {
  readonly summary: RunSummary;
  /** What it is found by: what was said, the accepted answer, and why it ended. */
  readonly words: string;
  /** The number of the first of `lines`. */
  readonly from: number;
  /** Entries as JSON. */
  readonly lines: readonly string[];
}

/** Which runs are wanted; what is absent does not matter. */
export interface RunQuery {
  readonly status?: string;
  readonly guard?: string;
  readonly agent?: string;
  readonly thread?: string;
  /** Letters that stand in its words, whatever their case. */
  readonly text?: string;
  /** The `next` of the page before. */
  readonly before?: string;
  readonly limit: number;
}

/** Where runs and conversations are kept, the oldest being forgotten first. */
export interface RunStore {
  save(records: readonly RunRecord[]): Promise<void>;
  find(runId: string): Promise<RunSummary | undefined>;
  /** Newest first. */
  list(query: RunQuery): Promise<RunPage>;
  lines(runId: string, from: number, limit: number): Promise<readonly string[]>;
  readConversation(threadId: string): Promise<readonly MastraDBMessage[]>;
  writeConversation(threadId: string, messages: readonly MastraDBMessage[]): Promise<void>;
  close(): Promise<void>;
}

/** How much is kept. */
export interface StoreBounds {
  /** Runs at most, at least 1. Default 1,000. */
  readonly maxRuns?: number;
  /** Bytes of entries at most, at least 1; the newest run is kept whatever its size. Default 256 MiB. */
  readonly maxBytes?: number;
}

export const defaultBounds: Required<StoreBounds> = { maxRuns: 1_000, maxBytes: 256 * 1024 * 1024 };
