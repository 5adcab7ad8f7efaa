/** A run with the runs of its sub-agents as one file: the server's responses for the run page, so that it works without one. */
export interface RunFile {
  readonly runId: string;
  /** Epoch milliseconds. */
  readonly exportedAt: number;
  /** Whether it contains words that no reader outside the run has seen. */
  readonly hasAllWords: boolean;
  /** Responses of the server by request path. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** Lines of traces by the ids of their runs, the parent first; empty if no trace was recorded. */
  readonly traces: Readonly<Record<string, readonly string[]>>;
}

/** The id of the element that contains it in its page. */
export const runFileElement = 'interlock-run';

export const runPath = (runId: string): string => `runs/${encodeURIComponent(runId)}`;

/** The number of a run's lines per read. */
export const entriesAtOnce = 20_000;

export const entriesPath = (runId: string, from: number): string =>
  `${runPath(runId)}/entries?from=${from}&limit=${entriesAtOnce}`;

export const subRunsPath = (runId: string): string => `runs?parent=${encodeURIComponent(runId)}&limit=200`;
