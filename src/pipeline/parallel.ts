import { klona } from 'klona';
import type { Guard } from '../guard/to-guard.js';
import type { Phase, PhaseData, PhaseRow } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import { refreshed, type MessageCarrier } from '../phase/settle-messages.js';
import type { MessageList } from '@mastra/core/agent/message-list';
import { pass, type Retry, type Stop, type Unavailable, type Verdict } from '../verdict.js';
import { isSame, mergeValues, MergeConflict, type MergeOptions, type Version } from './merge.js';
import { nameOfRule, type OverlapRule } from './overlap.js';

/** One branch of a block: its guard and the name under which its edits are known. */
export interface Branch<P extends Phase> {
  readonly id: string;
  readonly guard: Guard<P>;
}

export interface Block<P extends Phase> {
  readonly row: PhaseRow<P>;
  readonly path: string;
  readonly overlap: OverlapRule;
}

/**
 * Guards side by side as one guard. Each works on a snapshot of its own; what they changed is merged against the common base.
 * The strictest verdict wins: a trip ends the block at once and cancels the others, then comes a guard without a verdict,
 * then all retry reasons as one, then the merged edits.
 */
export const inParallel =
  <P extends Phase>(branches: readonly Branch<P>[], block: Block<P>): Guard<P> =>
  async (data, scope) => {
    const controller = new AbortController();
    const signal = scope.abortSignal ? AbortSignal.any([scope.abortSignal, controller.signal]) : controller.signal;
    const branchScope: RunScope = Object.create(scope, { abortSignal: { value: signal, enumerable: true } });
    const snapshots = branches.map(() => snapshotOf(data, scope));
    const settled = await firstTripOrAll(
      branches.map(({ guard }, index) => guard(snapshots[index] as PhaseData<P>, branchScope)),
    );
    if (!Array.isArray(settled)) {
      controller.abort(new DOMException(`Canceled: ${settled.processorId} blocked.`, 'AbortError'));
      return settled;
    }
    const stop = strictest(settled);
    if (stop) return stop;
    const results = settled.map((verdict, index) =>
      verdict.kind === 'edit' ? verdict.data : (snapshots[index] as PhaseData<P>),
    );
    return mergeBranches({ data, branches, results, block, scope });
  };

/** Resolves with the first trip as soon as there is one, without waiting for guards that ignore their signal. */
const firstTripOrAll = <D>(verdicts: readonly (Verdict<D> | Promise<Verdict<D>>)[]): Promise<Verdict<D>[] | Stop> => {
  const tripped = verdicts.find((verdict) => 'kind' in verdict && verdict.kind === 'trip');
  if (tripped) return Promise.resolve(tripped as Stop);
  return new Promise((resolve, reject) => {
    for (const verdict of verdicts)
      if (!('kind' in verdict)) verdict.then((done) => done.kind === 'trip' && resolve(done), reject);
    Promise.all(verdicts).then(resolve, reject);
  });
};

const strictest = <D>(verdicts: readonly Verdict<D>[]): Stop | undefined => {
  const unavailable = verdicts.find((verdict): verdict is Unavailable => verdict.kind === 'unavailable');
  if (unavailable) return unavailable;
  const retries = verdicts.filter((verdict): verdict is Retry => verdict.kind === 'retry');
  const [first] = retries;
  if (!first || retries.length === 1) return first;
  return { ...first, reason: retries.map((retry) => retry.reason).join(' '), metadata: retries.map((retry) => retry.metadata) };
};

/** Fields that follow from the list, or that branches may not copy: the list itself is snapshotted through its port. */
const derived = new Set(['messageList', 'messages', 'systemMessages']);

export const snapshotOf = <P extends Phase>(data: PhaseData<P>, { host }: RunScope): PhaseData<P> => {
  const { messageList, part, prompt } = data as Snapshottable;
  return {
    ...data,
    ...(messageList && { messageList: host.messages.fork(messageList) }),
    ...(part !== undefined && { part: klona(part) }),
    ...(prompt !== undefined && { prompt: klona(prompt) }),
  };
};

interface Snapshottable {
  messageList?: MessageList;
  part?: unknown;
  prompt?: unknown;
}

export interface Merging<P extends Phase> {
  readonly data: PhaseData<P>;
  readonly branches: readonly { readonly id: string }[];
  readonly results: readonly PhaseData<P>[];
  readonly block: Block<P>;
  readonly scope: RunScope;
}

/** Merges what branches made of a payload; the payload's own list takes up the merged messages. */
export const mergeBranches = <P extends Phase>({ data, branches, results, block, scope }: Merging<P>): Verdict<PhaseData<P>> => {
  const { row, path, overlap } = block;
  const authors = branches.map(({ id }) => id);
  const options: MergeOptions = {
    rule: overlap,
    fixed: identity,
    onOverlap: ({ target, edits }) =>
      scope.reportConflict({
        phase: row.phase,
        path,
        rule: nameOfRule(overlap),
        target,
        authors: edits.map((edit) => edit.author),
      }),
  };
  const versions = (values: readonly unknown[]): Version[] =>
    values.map((value, index) => ({ author: authors[index] ?? String(index), value }));
  try {
    const listChanged = mergeLists(data, results, { options, versions, scope });
    const base = fieldsOf(data);
    const merged = mergeValues(base, versions(results.map(fieldsOf)), options);
    if (!listChanged && isSame(base, merged)) return pass;
    const next = { ...data, ...(merged as PhaseData<P>) };
    const carrier = next as unknown as MessageCarrier; // a row that carries messages says so, see below
    const scopeOf = row.carries;
    return { kind: 'edit', data: scopeOf ? (refreshed(carrier, scope.host, scopeOf) as unknown as PhaseData<P>) : next };
  } catch (error) {
    if (!(error instanceof MergeConflict)) throw error;
    return { kind: 'unavailable', processorId: block.path, phase: row.phase, path, error };
  }
};

/** A message keeps its id, its source and its place in time whatever a branch does to it. */
const identity = new Set(['id', 'createdAt']);

const fieldsOf = (data: PhaseData): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !derived.has(name)));

interface ListMerging {
  options: MergeOptions;
  versions: (values: readonly unknown[]) => Version[];
  scope: RunScope;
}

const mergeLists = <P extends Phase>(
  data: PhaseData<P>,
  results: readonly PhaseData<P>[],
  { options, versions, scope: { host } }: ListMerging,
): boolean => {
  const list = (data as MessageCarrier).messageList;
  if (!list) return false;
  const base = host.messages.snapshot(list);
  const branchStates = results.map((result) => {
    const own = (result as MessageCarrier).messageList;
    return own ? host.messages.snapshot(own) : base;
  });
  const merged = mergeValues(base, versions(branchStates), options);
  if (isSame(base, merged)) return false;
  host.messages.restore(list, merged);
  return true;
};
