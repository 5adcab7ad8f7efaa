import type { GuardPolicy } from '../../../schemas/index.js';
import { InterlockError } from '../../errors.js';
import {
  aBoolean,
  aName,
  checkGuardOptions,
  fieldsOf,
  kind,
  needed,
  numberFrom,
  oneOf,
  type OptionKind,
} from '../../option-kind.js';

/** The maximum delay of a timer; a longer one would fire at once. */
const longestMs = 2_147_483_647;

const whole = (least: number, most = Infinity): OptionKind =>
  kind(
    `an integer ${most === Infinity ? `of ${least} or more` : `from ${least} to ${most}`}`,
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  );
const milliseconds = whole(1, longestMs);

const namedWindows: ReadonlySet<unknown> = new Set(['chunk', 'sentence', 'part', 'step']);
const sizes: ReadonlySet<unknown> = new Set(['chars', 'tokens']);

const aWindow = kind('"chunk", "sentence", "part", "step", { chars } or { tokens } with an integer of 1 or more', (value) => {
  if (namedWindows.has(value)) return true;
  const [[unit, size] = [], ...more] = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return sizes.has(unit) && more.length === 0 && Number.isInteger(size) && (size as number) >= 1;
});

/** The checks of `guardPolicySchema` without loading zod: guards are used where every millisecond of a start counts. */
const kinds: { readonly [Name in keyof Required<GuardPolicy>]: OptionKind } = {
  deadlineMs: milliseconds,
  onUnavailable: oneOf('fail', 'trip', 'pass'),
  breaker: fieldsOf({ failures: needed(whole(1)), halfOpenAfterMs: needed(milliseconds) }),
  concurrency: fieldsOf({ limit: needed(whole(1)), queue: whole(0) }),
  cache: fieldsOf({ maxEntries: needed(whole(1)), ttlMs: milliseconds, windows: aBoolean }),
  shadow: aBoolean,
  sampleRate: numberFrom(0, 1),
  window: aWindow,
  overlap: aBoolean,
  version: aName,
};
const aPolicy = fieldsOf(kinds);

/**
 * Validates the options of a policy; returns a frozen copy. `path` is the guard, for errors.
 *
 * Raises `guard/unknown-option`, and `guard/invalid-option` for invalid values and combinations.
 */
export const readPolicy = (options: unknown, path: string): GuardPolicy => {
  checkGuardOptions(options, path, aPolicy);
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
  const set = Object.fromEntries(Object.entries(outer).filter(([, value]) => value !== undefined));
  const replaced = new Set<string>(contradictions.flatMap(([one, other]) => (set[one] ? [other] : [])));
  const remaining = Object.entries(inner).filter(([name]) => !replaced.has(name));
  return { ...Object.fromEntries(remaining), ...set };
};
