import { describeIssue } from '../../../schemas/describe-issue.js';
import { guardPolicySchema, type GuardPolicy } from '../../../schemas/index.js';
import { InterlockError } from '../../errors.js';

/**
 * Checks the options of a policy; gives a policy of its own, frozen. `path` is the guard, for errors.
 *
 * Raises `guard/unknown-option`, and `guard/invalid-option` for values and combinations that cannot be meant.
 */
export const readPolicy = (options: unknown, path: string): GuardPolicy => {
  const parsed = guardPolicySchema.safeParse(options);
  const [issue] = parsed.error?.issues ?? [];
  if (issue?.code === 'unrecognized_keys')
    throw new InterlockError('guard/unknown-option', { path: [path, ...issue.path, issue.keys[0]].join('.') });
  if (issue) {
    const problem = describeIssue(issue, options);
    const where = problem.path ? `${path}.${problem.path}` : path;
    throw new InterlockError('guard/invalid-option', { path: where, detail: problem.detail });
  }
  const policy = parsed.data ?? {};
  refuseNonsense(policy, path);
  return Object.freeze(policy);
};

/** Options that contradict each other, and why. */
const contradictions: readonly (readonly [keyof GuardPolicy, keyof GuardPolicy, string])[] = [
  ['shadow', 'onUnavailable', 'what a shadow fails to say changes nothing, so that there is nothing to choose.'],
  ['shadow', 'overlap', 'a shadow never holds anything up.'],
];

const refuseNonsense = (policy: GuardPolicy, path: string): void => {
  for (const [one, other, detail] of contradictions) {
    if (!policy[one] || !policy[other]) continue;
    throw new InterlockError('guard/invalid-option', { path: `${path}.${other}`, detail: `with ${one}: ${detail}` });
  }
};

/**
 * The outer options over the inner ones, still to be read; one that is undefined says nothing. An inner option that contradicts
 * an outer one gives way, so that any guard can be tried as a shadow.
 */
export const overPolicy = (inner: GuardPolicy | undefined, outer: unknown): unknown => {
  if (!inner || typeof outer !== 'object' || outer === null) return outer;
  const given = Object.fromEntries(Object.entries(outer).filter(([, value]) => value !== undefined));
  const gone = new Set<string>(contradictions.flatMap(([one, other]) => (given[one] ? [other] : [])));
  const kept = Object.entries(inner).filter(([name]) => !gone.has(name));
  return { ...Object.fromEntries(kept), ...given };
};
