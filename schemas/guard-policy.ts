import { z } from 'zod';

/** The longest time that a timer can be set to; a longer one would ring at once. */
const longestMs = 2_147_483_647;

const count = z.int().min(1);
const milliseconds = z.int().min(1).max(longestMs);

/** The end of a window: how much of the stream a guard judges at a time. */
export const guardWindowSchema = z.union([
  z.enum(['chunk', 'sentence', 'part', 'step']),
  z.strictObject({ chars: count }),
  z.strictObject({ tokens: count }),
]);

/** The rules around a guard. Every field is optional; without any, a guard behaves like its processor. */
export const guardPolicySchema = z.strictObject({
  /**
   * Milliseconds that one call may take, waiting for its turn included; at least 1. A call that has not answered by then is
   * unavailable with `guard/deadline`, its `abortSignal` fires, and a late answer changes nothing. Default: no limit.
   */
  deadlineMs: milliseconds.optional(),
  /**
   * The consequence if the guard gives no verdict. `fail`: the run fails with the guard's error. `trip`: it ends as a tripwire of
   * kind `unavailable`. `pass`: it continues unedited, counted as a bypass. Default `fail`.
   */
  onUnavailable: z.enum(['fail', 'trip', 'pass']).optional(),
  /**
   * Stops asking a guard that is down: after `failures` calls in a row without a verdict it is unavailable with
   * `guard/breaker-open` for `halfOpenAfterMs` milliseconds, then one call tries again. Shared by all runs of this guard.
   * Default: none.
   */
  breaker: z.strictObject({ failures: count, halfOpenAfterMs: milliseconds }).optional(),
  /**
   * How many calls may be under way at a time, over all runs of this guard. Others wait their turn, at most `queue` of them
   * (default: any number); one more is unavailable with `guard/busy`. Default: no limit.
   */
  concurrency: z.strictObject({ limit: count, queue: z.int().min(0).optional() }).optional(),
  /**
   * Caches verdicts by content, across all runs of this guard: at most `maxEntries`, least recently used evicted first, each for
   * `ttlMs` milliseconds (default: no expiry). For guards whose verdict depends only on the payload. Verdicts on streams are
   * cached only with `windows`: a text that was judged is then not judged again, in any part, attempt or run. Use `windows` only
   * for guards that judge each window by its text alone, regardless of earlier text and of the number of retries. Default: no
   * cache; `windows`: `false`.
   */
  cache: z.strictObject({ maxEntries: count, ttlMs: milliseconds.optional(), windows: z.boolean().optional() }).optional(),
  /** Judges in parallel with the run; its verdict is recorded in the run's events and changes nothing. Default `false`. */
  shadow: z.boolean().optional(),
  /** The share of runs that the guard is asked in, from 0 to 1; in the others it is bypassed, and counted. Default 1. */
  sampleRate: z.number().min(0).max(1).optional(),
  /** How much of a stream the guard is asked about at once. Default: each chunk as it comes. */
  window: guardWindowSchema.optional(),
  /**
   * Judges the input while the model is called already, in `processInput`, `processInputStep` and `processLLMRequest`; nothing of
   * the answer leaves before it has passed. Only for guards that never edit: an edit is no verdict (`guard/overlap-edits`). Where
   * an engine cannot wait for it, it judges in its turn. Default `false`.
   */
  overlap: z.boolean().optional(),
  /**
   * The version of the guard's behavior: its code, its options, its prompt. A durable run that began with another version waits as
   * `needs-decision`. Change it if runs in progress must not continue under the new behavior. Default: none.
   */
  version: z.string().min(1).optional(),
});

export type GuardPolicy = z.infer<typeof guardPolicySchema>;
export type GuardWindow = z.infer<typeof guardWindowSchema>;
