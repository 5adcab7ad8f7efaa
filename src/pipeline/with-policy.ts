import { isOverlapping, type GuardPolicy } from '../guard/policy/guard-policy.js';
import {
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
  type LayerPorts,
  type LayerSite,
} from '../guard/policy/layers.js';
import { cached, cachedWindows } from '../guard/policy/cached.js';
import { isPromise, whenReady } from '../phase/awaitable.js';
import type { Phase, PhaseData, PhaseRow } from '../phase/row.js';
import { pass, type Retry, type Trip, type Verdict, type Pass } from '../verdict.js';
import { createBlockScopes, snapshotOf } from './block-scope.js';
import { inParallel } from './parallel.js';
import { fieldsIn, copyPlain, inheriting, isObject, isRecord, computed } from '../phase/plain-data.js';
import type { MessageList } from '@mastra/core/agent/message-list';
import type { Host } from '../phase/host.js';
import type { RunScope } from '../phase/scope.js';
import type { MessageCarrier } from '../phase/settle-messages.js';
import { phaseRow } from '../phase/table.js';
import { circuitBreaker, ConsecutiveBreaker, handleWhenResult } from 'cockatiel';
import pLimit from 'p-limit';
import { recentValues } from '../phase/memo.js';
import type { PolicyState, CachedVerdict } from '../guard/policy/policy-state.js';

/** `sampleRate`: the guard is called in a share of all runs, chosen once per run, so that it sees all of a run or nothing. */
const sampled: Layer =
  (inner, { author, policy: { sampleRate = 1 }, state }) =>
  (data, scope) => {
    const run = scope.slot(author.processorId).state;
    return computed(state.sampled, run, () => Math.random() < sampleRate) ? inner(data, scope) : sampledOut;
  };

/** The facts of a row that decide whether a layer is needed. */
type RowFacts = Pick<PhaseRow, 'cadence' | 'mayOverlap'>;

/** A layer, and the condition for it. */
interface Entry {
  readonly isOn: (policy: GuardPolicy, row: RowFacts) => boolean;
  readonly layer: Layer;
}

/** Whether a guard works on its own payload: it may be abandoned, its edits may be repeated, or it must not edit. */
const isIsolated = (policy: GuardPolicy, row: RowFacts): boolean =>
  !policy.shadow &&
  (policy.deadlineMs !== undefined || policy.onUnavailable === 'pass' || isCached(policy, row) || mustNotEdit(policy, row));

/** A reader's own copy would cost as much as its work on a chunk. */
const mustNotEdit = (policy: GuardPolicy, row: RowFacts): boolean =>
  isOverlapping(policy, row) || (policy.reads === true && row.cadence !== 'chunk');

/** Verdicts about a stream are not cached by its visible content, which differs in every run. */
const isCached = ({ cache }: GuardPolicy, { cadence }: RowFacts): boolean => cache !== undefined && cadence !== 'chunk';

const keepsWindows = ({ cache }: GuardPolicy, { cadence }: RowFacts): boolean => cache?.windows === true && cadence === 'chunk';

/** The layers of a policy, from the outside in. Each gets the verdict of the one inside it. */
const layers: readonly Entry[] = [
  { isOn: ({ sampleRate }) => sampleRate !== undefined && sampleRate < 1, layer: sampled },
  { isOn: ({ shadow }) => shadow === true, layer: shadowed },
  { isOn: ({ onUnavailable: choice }) => choice !== undefined && choice !== 'fail', layer: onUnavailable },
  { isOn: (policy, row) => policy.reads === true || isOverlapping(policy, row), layer: withoutEdits },
  { isOn: isIsolated, layer: (inner, { ports }) => ports.isolate(inner) },
  { isOn: isCached, layer: cached },
  { isOn: keepsWindows, layer: cachedWindows },
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
  const site: LayerSite<P> = { author, row, policy, state: policyState(policy), ports: portsOf(step, row) };
  const guard = wanted.reduceRight<Guard<P>>((inner, { layer }) => layer(inner, site), bareGuard(step));
  return {
    author,
    skips,
    isBlock: policy.shadow, // it reports its own verdict later
    run: (data, scope) =>
      whenReady(guard(data, scope), (verdict) => {
        if (isViolation(verdict)) notifyViolation(onViolation, verdict);
        return verdict;
      }),
    read: (verdict) => verdict as Verdict<never>, // the result of `run`
  };
};

const isViolation = (verdict: Verdict<unknown>): verdict is Trip | Retry =>
  verdict.kind === 'retry' || (verdict.kind === 'trip' && !verdict.outage);

const portsOf = <P extends Phase>({ author }: GuardStep<P>, row: PhaseRow<P>): LayerPorts<P> => {
  const own = createOwnPayloads();
  const alone = { row, path: author.path, overlap: 'last', staleVerdicts: 'report' } as const;
  return {
    // A block with one branch: it has a snapshot and a merge, and does not wait for a guard that timed out.
    isolate: (guard) =>
      inParallel([{ id: author.processorId, guard: (data, scope) => guard(own.withOwnParts(data, scope), scope) }], alone),
    own: own.copyOf,
    copy: copyPlain,
    scopes: createBlockScopes(),
  };
};

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
  return {
    author,
    isBlock: true, // it reports its own verdict later
    run: (data, scope) => {
      const copy = own.copyOf(data, scope);
      if (!scope.addOverlapGuard) return guard(copy, scope);
      scope.addOverlapGuard({
        author,
        judge: (blockScope) => guard({ ...copy, retryCount: blockScope.retryCount() }, blockScope),
      });
      return pass;
    },
    read: (verdict) => verdict as Verdict<PhaseData<P>>, // the result of `run`
  };
};

/**
 * Creates payloads that one guard owns: its changes, at any time, have no effect on others. If a phase's hooks only read the list, its copy is reused until messages are added or removed, because
 * a stream's hooks are called for every chunk.
 */
const createOwnPayloads = () => {
  const copies = new WeakMap<MessageList, { readonly list: MessageList; readonly size: number }>();
  const values = new WeakMap<object, object>();
  const ownValue = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(ownValue);
    if (!isRecord(value) && !isStepOfHost(value)) return value;
    return computed(values, value, () => copiedWhenRead(value, ownValue));
  };
  const ownList = (given: MessageList, { messages }: Host): MessageList => {
    const size = messages.read(given, 'all').length;
    const known = copies.get(given);
    if (known?.size === size) return known.list;
    const list = messages.fork(given);
    copies.set(given, { list, size });
    return list;
  };
  /** For a snapshot, which shares the fields that hooks only read, and its list in phases whose hooks cannot change messages: the result has its own. */
  const withOwnParts = <P extends Phase>(data: PhaseData<P>, { host }: RunScope): PhaseData<P> => {
    const { messageList }: MessageCarrier = data;
    const { refresh, onlyRead } = phaseRow<Phase>(data.phase);
    const isCopied = !messageList || refresh;
    if (isCopied && !onlyRead) return data;
    const own = Object.fromEntries((onlyRead ?? []).map((name) => [name, ownValue(fieldsIn(data)[name])]));
    return { ...data, ...own, ...(!isCopied && { messageList: ownList(messageList, host) }) };
  };
  return {
    /** A copy of the payload for a guard that runs in parallel with the run; control functions in the payload do nothing. */
    copyOf: <P extends Phase>(data: PhaseData<P>, scope: RunScope): PhaseData<P> =>
      inert(withOwnParts(snapshotOf(data, scope), scope)),
    withOwnParts,
  };
};

/** A step of the AI SDK is an instance that computes its other fields from its content. */
const isStepOfHost = (value: unknown): value is object => isObject(value) && Array.isArray(value['content']);

/** An equal object whose changes have no effect on the given one. Its fields are copied when they are read: they may be large. */
const copiedWhenRead = (value: object, copyOf: (field: unknown) => unknown): object => {
  const own = inheriting(Object.getPrototypeOf(value) as object, {});
  for (const name of Object.keys(value)) {
    let of: unknown;
    let copy: unknown;
    Object.defineProperty(own, name, {
      configurable: true,
      enumerable: true,
      get: () => {
        const now = fieldsIn(value)[name];
        if (of !== now) [of, copy] = [now, copyOf(now)];
        return copy;
      },
      set: (next: unknown) => {
        Object.defineProperty(own, name, { value: next, writable: true });
      },
    });
  }
  return own;
};

/** Functions in a payload are the host's, e.g. to start another message: they return an id. */
const inert = <Data extends object>(data: Data): Data => {
  const names = Object.entries(data).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));
  if (names.length === 0) return data;
  return { ...data, ...Object.fromEntries(names.map((name) => [name, () => globalThis.crypto.randomUUID()])) };
};

const states = new WeakMap<GuardPolicy, PolicyState>();

/** The state of a policy, created on first use: it belongs to the policy object. */
const policyState = (policy: GuardPolicy): PolicyState =>
  computed(states, policy, () => {
    const { breaker, concurrency, cache } = policy;
    const counting = breaker && { halfOpenAfter: breaker.halfOpenAfterMs, breaker: new ConsecutiveBreaker(breaker.failures) };
    return {
      breaker: counting && circuitBreaker(isOutage, counting),
      limit: concurrency && pLimit(concurrency.limit),
      verdicts: cache && recentValues<CachedVerdict>(cache),
      sampled: new WeakMap(),
      lines: new WeakMap(),
    };
  });

/** Verdicts are values: a failure is a result. */
const isOutage = handleWhenResult((verdict) => fieldsIn(verdict)['kind'] === 'unavailable');

const sampledOut: Pass = { kind: 'pass', bypass: { reason: 'sampled-out' } };
