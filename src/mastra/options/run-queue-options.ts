/** How many durable runs of an agent go on at the same time in a process, and how often one may start. */
export interface RunQueueOptions {
  /** Runs that go on at the same time; at least 1. Default: no limit but that of the engine. */
  readonly concurrency?: number;
  /** At most `runs` start within any `perMs` milliseconds. Default: no limit. */
  readonly rateLimit?: { readonly runs: number; readonly perMs: number };
}
