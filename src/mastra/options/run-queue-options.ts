/** Limits on an agent's durable runs: how many run concurrently in a process, and how often one may start. */
export interface RunQueueOptions {
  /** The maximum number of concurrent runs; at least 1. Default: no limit but that of the engine. */
  readonly concurrency?: number;
  /** At most `runs` start within any `perMs` milliseconds. Default: no limit. */
  readonly rateLimit?: { readonly runs: number; readonly perMs: number };
}
