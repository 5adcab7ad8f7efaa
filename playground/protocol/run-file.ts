/** A run with the runs of its sub-agents as one file: what the run page asks the server for, so that it shows the same without one. */
export interface RunFile {
  readonly runId: string;
  /** Epoch milliseconds. */
  readonly exportedAt: number;
  /** Whether words are in it that no reader outside the run has seen. */
  readonly hasAllWords: boolean;
  /** Responses of the server by the path that they were asked by. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** Lines of traces by the ids of their runs, the parent first; none where no trace was recorded. */
  readonly traces: Readonly<Record<string, readonly string[]>>;
}

/** The id of the element that holds it in its page. */
export const runFileElement = 'interlock-run';

export const runPath = (runId: string): string => `runs/${encodeURIComponent(runId)}`;

/** So many lines of a run are read at once. */
export const entriesAtOnce = 5000;

export const entriesPath = (runId: string, from: number): string =>
  `${runPath(runId)}/entries?from=${from}&limit=${entriesAtOnce}`;

export const subRunsPath = (runId: string): string => `runs?parent=${encodeURIComponent(runId)}&limit=200`;
