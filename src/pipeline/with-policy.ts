import { isOverlapping, type GuardPolicy } from '../guard/policy/guard-policy.js';
import {
  guardStep,
  inSequence,
  notifyViolation,
  readThrown,
  openCall,
  settled,
  thrownBy,
  type Guard,
  type GuardStep,
} from '../guard/in-sequence.js';
import {
  withBreaker,
  withConcurrency,
  withDeadline,
  withoutEdits,
  onUnavailable,
  shadowed,
  type Layer,
} from './policy/layers.js';
import { cached, cachedWindows } from './policy/cached.js';
import { isPromise, whenReady } from '../phase/awaitable.js';
import type { Phase, PhaseRow } from '../phase/row.js';
import { pass, type Retry, type Trip, type Verdict, type Pass } from '../verdict.js';
import { createOwnPayloads } from './block-scope.js';
import { inParallel } from './parallel.js';
import { computed } from '../phase/plain-data.js';
import { policyState, type LayerSite } from './policy/policy-state.js';

/** `sampleRate`: the guard is called in a share of all runs, chosen once per run, so that it sees all of a run or nothing. */
const sampled: Layer =
  (inner, { author, policy: { sampleRate = 1 }, state }) =>
  (data, scope) => {
    const run = scope.slot(author.processorId).state;
    return computed(state.sampled, run, () => Math.random() < sampleRate) ? inner(data, scope) : sampledOut;
  };

/** A block with one branch: it has a snapshot and a merge, and does not wait for a guard that timed out. */
const isolated: Layer = (guard, { author: { processorId, path }, row }) => {
  const own = createOwnPayloads();
  return inParallel([{ id: processorId, guard: (data, scope) => guard(own.withOwnParts(data, scope), scope) }], {
    row,
    path,
    overlap: 'last',
    staleVerdicts: 'report',
  });
};

/** The facts of a row that decide whether a layer is needed. */
type RowFacts = Pick<PhaseRow, 'cadence' | 'mayOverlap'>;

/** Whether a guard works on its own payload: it may be abandoned, its edits may be repeated, or it must not edit. */
const isIsolated = (policy: GuardPolicy, row: RowFacts): boolean =>
  !policy.shadow &&
  (policy.deadlineMs !== undefined || policy.onUnavailable === 'pass' || isCached(policy, row) || mustNotEdit(policy, row));

/** A reader's own copy would cost as much as its work on a chunk. */
const mustNotEdit = (policy: GuardPolicy, row: RowFacts): boolean =>
  isOverlapping(policy, row) || (policy.reads === true && row.cadence !== 'chunk');

/** Verdicts about a stream are not cached by its visible content, which differs in every run. */
const isCached = ({ cache }: GuardPolicy, { cadence }: RowFacts): boolean => cache !== undefined && cadence !== 'chunk';

/** The layers of a policy, from the outside in. Each gets the verdict of the one inside it. */
const layers: readonly { readonly isOn: (policy: GuardPolicy, row: RowFacts) => boolean; readonly layer: Layer }[] = [
  { isOn: ({ sampleRate }) => sampleRate !== undefined && sampleRate < 1, layer: sampled },
  { isOn: ({ shadow }) => shadow === true, layer: shadowed },
  { isOn: ({ onUnavailable: choice }) => choice !== undefined && choice !== 'fail', layer: onUnavailable },
  { isOn: (policy, row) => policy.reads === true || isOverlapping(policy, row), layer: withoutEdits },
  { isOn: isIsolated, layer: isolated },
  { isOn: isCached, layer: cached },
  { isOn: ({ cache }, { cadence }) => cache?.windows === true && cadence === 'chunk', layer: cachedWindows },
  { isOn: ({ breaker }) => breaker !== undefined, layer: withBreaker },
  { isOn: ({ deadlineMs }) => deadlineMs !== undefined, layer: withDeadline },
  { isOn: ({ concurrency }) => concurrency !== undefined, layer: withConcurrency },
];

interface PolicySite<P extends Phase> {
  readonly row: PhaseRow<P>;
  readonly policy: GuardPolicy | undefined;
}

/**
 * Wraps a step in its policy: a function from step to step, folded once when the plan is built. A step without a policy, or with one that
 * needs no layer, is returned unchanged.
 */
export const withPolicy = <P extends Phase>(step: GuardStep<P>, { row, policy }: PolicySite<P>): GuardStep<P> => {
  const wanted = policy ? layers.filter(({ isOn }) => isOn(policy, row)) : [];
  if (!policy || wanted.length === 0) return step;
  const { author, onViolation, skips } = step;
  const site: LayerSite<P> = { author, row, policy, state: policyState(policy) };
  const guard = wanted.reduceRight<Guard<P>>((inner, { layer }) => layer(inner, site), bareGuard(step));
  const run: Guard<P> = (data, scope) =>
    whenReady(guard(data, scope), (verdict) => {
      if (isViolation(verdict)) notifyViolation(onViolation, verdict);
      return verdict;
    });
  return { ...guardStep(author, run), skips, isBlock: policy.shadow }; // a shadow reports its own verdict later
};

const isViolation = (verdict: Verdict<unknown>): verdict is Trip | Retry =>
  verdict.kind === 'retry' || (verdict.kind === 'trip' && !verdict.outage);

/** A step as a guard without reports of verdicts and violations: its layers decide whether its verdict counts. */
const bareGuard =
  <P extends Phase>(step: GuardStep<P>): Guard<P> =>
  (data, scope) => {
    const call = openCall();
    const failed = (error: unknown) =>
      readThrown(thrownBy(call, error, scope.host), { ...step, onViolation: undefined }, scope.host);
    try {
      const verdict = whenReady(step.run(data, scope, call), (returned) => step.read(settled(call, returned), data, scope));
      return isPromise(verdict) ? verdict.then(undefined, failed) : verdict;
    } catch (error) {
      return failed(error);
    }
  };

/**
 * `overlap`: a step that lets the run continue and judges in parallel with the model's call, where the row allows it. It judges the
 * payload at its position, regardless of later changes. On paths that cannot wait for it later, it judges at once.
 */
export const overlapModel = <P extends Phase>(step: GuardStep<P>, { row, policy }: PolicySite<P>): GuardStep<P> => {
  if (!policy || !isOverlapping(policy, row)) return step;
  const { author } = step;
  const guard = inSequence([step]);
  const own = createOwnPayloads();
  return guardStep(author, (data, scope) => {
    const copy = own.copyOf(data, scope);
    if (!scope.addOverlapGuard) return guard(copy, scope);
    scope.addOverlapGuard({
      author,
      judge: (blockScope) => guard({ ...copy, retryCount: blockScope.retryCount() }, blockScope),
    });
    return pass;
  });
};

const sampledOut: Pass = { kind: 'pass', bypass: { reason: 'sampled-out' } };
