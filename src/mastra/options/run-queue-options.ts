/** Limits on an agent's durable runs in a process: concurrency and rate of starts. */
export interface RunQueueOptions {
  /** The maximum number of concurrent runs; at least 1. Default: only the engine's limit. */
  readonly concurrency?: number;
  /** At most `runs` start within any `perMs` milliseconds. Default: no limit. */
  readonly rateLimit?: { readonly runs: number; readonly perMs: number };
}
