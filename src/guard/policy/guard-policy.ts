import { definedFields, fieldsIn } from '../../phase/plain-data.js';
import { InterlockError } from '../../errors.js';
import {
  asGuardFault,
  throwFaults,
  aBoolean,
  aName,
  fieldsOf,
  kind,
  needed,
  numberFrom,
  oneOf,
  timerMsFrom,
  wholeNumberFrom,
  type OptionKind,
} from '../../option-kind.js';

const windowNames = ['delta', 'chunk', 'sentence', 'part', 'step'] as const;

/** The end of a window: how much of the stream a guard checks at a time. */
export type GuardWindow = (typeof windowNames)[number] | { readonly chars: number } | { readonly tokens: number };

/** The rules around a guard. Every field is optional; without any, a guard behaves like its processor. */
export interface GuardPolicy {
  /**
   * Milliseconds that one call may take, waiting for its turn included; at least 1. A call that has not answered by then is
   * unavailable with `guard/deadline`, its `abortSignal` fires, and a late answer changes nothing. Default: no limit.
   */
  readonly deadlineMs?: number;
  /**
   * The consequence if the guard gives no verdict. `fail`: the run fails with the guard's error. `trip`: it ends as a tripwire of
   * kind `unavailable`. `pass`: it continues unedited, counted as a bypass. Default `fail`.
   */
  readonly onUnavailable?: 'fail' | 'trip' | 'pass';
  /**
   * Stops asking a guard that is down: after `failures` calls in a row without a verdict it is unavailable with
   * `guard/breaker-open` for `halfOpenAfterMs` milliseconds, then one call tries again. Shared by all runs of this guard.
   * Default: none.
   */
  readonly breaker?: { readonly failures: number; readonly halfOpenAfterMs: number };
  /**
   * How many calls may be under way at a time, over all runs of this guard. Others wait their turn, at most `queue` of them
   * (default: any number); one more is unavailable with `guard/busy`. Default: no limit.
   */
  readonly concurrency?: { readonly limit: number; readonly queue?: number };
  /**
   * Caches verdicts by content, across all runs of this guard: at most `maxEntries`, least recently used evicted first, each for
   * `ttlMs` milliseconds (default: no expiry). For guards whose verdict depends only on the payload. Verdicts on streams are
   * cached only with `windows`: a text that was judged is then not judged again, in any part, attempt or run. Use `windows` only
   * for guards that judge each window by its text alone, regardless of earlier text and of the number of retries. Default: no
   * cache; `windows`: `false`.
   */
  readonly cache?: { readonly maxEntries: number; readonly ttlMs?: number; readonly windows?: boolean };
  /** Judges in parallel with the run; its verdict is recorded in the run's events and changes nothing. Default `false`. */
  readonly shadow?: boolean;
  /** The share of runs that the guard is asked in, from 0 to 1; in the others it is bypassed, and counted. Default 1. */
  readonly sampleRate?: number;
  /**
   * How much of a stream the guard checks at once. `delta`: each chunk as it comes, as in Mastra; a value that is split over two
   * chunks is then missed. Default: `sentence`, at most 400 characters; of JSON one member, at most 200.
   */
  readonly window?: GuardWindow;
  /**
   * `none`: content is sent before this guard's hooks after the stream have run, so that a later rejection or edit retracts it.
   * Default: under the agent's `hold: 'auto'` the content waits for them.
   */
  readonly hold?: 'none';
  /**
   * Whether the guard only reads, such as a log or a score: no content waits for its hooks after the stream, and an edit is no
   * verdict (`guard/reader-edits`). Default `false`.
   */
  readonly reads?: boolean;
  /**
   * Judges the input while the model is called already, in `processInput`, `processInputStep` and `processLLMRequest`; nothing of
   * the answer leaves before it has passed. Only for guards that never edit: an edit is no verdict (`guard/overlap-edits`). Where
   * an engine cannot wait for it, it judges in its turn. Default `false`.
   */
  readonly overlap?: boolean;
  /**
   * The version of the guard's behavior: its code, its options, its prompt. A durable run that began with another version waits as
   * `needs-decision`. Change it if runs in progress must not continue under the new behavior. Default: none.
   */
  readonly version?: string;
}

const sizes: ReadonlySet<unknown> = new Set(['chars', 'tokens']);

export const aWindow: OptionKind<GuardWindow> = kind(
  '"delta", "chunk", "sentence", "part", "step", { chars } or { tokens } with an integer of 1 or more',
  (value) => {
    if (windowNames.some((name) => name === value)) return true;
    const [[unit, size] = [], ...more] = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return sizes.has(unit) && more.length === 0 && Number.isInteger(size) && Number(size) >= 1;
  },
);

/** The checks of a policy. They do not load zod: guards are used where every millisecond of a start counts. */
const kinds: { readonly [Name in keyof Required<GuardPolicy>]: OptionKind } = {
  deadlineMs: timerMsFrom(1),
  onUnavailable: oneOf('fail', 'trip', 'pass'),
  breaker: fieldsOf({ failures: needed(wholeNumberFrom(1)), halfOpenAfterMs: needed(timerMsFrom(1)) }),
  concurrency: fieldsOf({ limit: needed(wholeNumberFrom(1)), queue: wholeNumberFrom(0) }),
  cache: fieldsOf({ maxEntries: needed(wholeNumberFrom(1)), ttlMs: timerMsFrom(1), windows: aBoolean }),
  shadow: aBoolean,
  sampleRate: numberFrom(0, 1),
  window: aWindow,
  hold: oneOf('none'),
  reads: aBoolean,
  overlap: aBoolean,
  version: aName,
};
export const aPolicy = fieldsOf(kinds);

/**
 * Validates the options of a policy; returns a frozen copy. `path` is the guard, for errors.
 *
 * Raises `guard/unknown-option`, and `guard/invalid-option` for invalid values and combinations.
 */
export const readPolicy = (options: unknown, path: string): GuardPolicy => {
  throwFaults(aPolicy.faultsOf(options, path).map(asGuardFault));
  const policy = structuredClone(options) as GuardPolicy; // validated, and plain data
  rejectInvalid(policy, path);
  return Object.freeze(policy);
};

/** Options that contradict each other, and the reason. */
const contradictions: readonly (readonly [keyof GuardPolicy, keyof GuardPolicy, string])[] = [
  ['shadow', 'onUnavailable', 'a missing verdict of a shadow guard has no effect; remove onUnavailable.'],
  ['shadow', 'overlap', 'a shadow guard never delays a run; remove overlap.'],
];

const rejectInvalid = (policy: GuardPolicy, path: string): void => {
  for (const [one, other, detail] of contradictions) {
    if (!policy[one] || !policy[other]) continue;
    throw new InterlockError('guard/invalid-option', { path: `${path}.${other}`, detail: `with ${one}: ${detail}` });
  }
};

/**
 * Merges the outer options over the inner ones, before validation; an undefined one has no effect. An inner option that contradicts an
 * outer one is dropped, so that any guard can be tried as a shadow.
 */
export const overPolicy = (inner: GuardPolicy | undefined, outer: unknown): unknown => {
  if (!inner || typeof outer !== 'object' || outer === null) return outer;
  const set: Record<string, unknown> = definedFields(fieldsIn(outer));
  const replaced = new Set<string>(contradictions.flatMap(([one, other]) => (set[one] ? [other] : [])));
  const remaining = Object.entries(inner).filter(([name]) => !replaced.has(name));
  return { ...Object.fromEntries(remaining), ...set };
};

/** Whether a guard overlaps with the model's call in a phase. */
export const isOverlapping = ({ overlap }: GuardPolicy, { mayOverlap }: { readonly mayOverlap?: true }): boolean =>
  overlap === true && mayOverlap === true;
