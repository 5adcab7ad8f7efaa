import { anySignal } from '../../phase/awaitable.js';
import type { PhaseData } from '../../phase/row.js';
import { current } from '../../phase/settle-messages.js';
import { phaseRow } from '../../phase/table.js';
import { armsOf, chooseArms, stepContext, type ArmOf, type Choice } from '../../pipeline/branch.js';
import { hasHookFor, otherwise, type BranchNode, type Condition } from '../../pipeline/graph.js';
import { snapshotOf } from '../../pipeline/block-scope.js';
import type { Stop, Author } from '../../verdict.js';
import type { BlockCoordinator } from './block-coordinator.js';
import { recordResult, payloadOf } from '../graph/thrown-stops.js';
import { host, scopeOfStep, type BlockResults, type Executable, type StepCall } from './scope.js';
import { readThrown } from '../../guard/in-sequence.js';
import { fieldsIn, computed } from '../../phase/plain-data.js';

type BranchSlot = ReturnType<BlockCoordinator['enter']>;

/** The block of a branch step. */
interface BranchSite {
  /** The path of the branch. */
  readonly path: string;
  readonly coordinator: BlockCoordinator;
  /** The ids of all branches that run for a payload. */
  participants(call: StepCall): Promise<readonly string[]>;
}

/**
 * A step as a branch of a block. It works on a snapshot with its own signal, and ends at once if a sibling blocks. Only the
 * effective stop is thrown, by its own step; the others return their payload unchanged.
 */
export const asBranch = <S extends Executable>(step: S, site: BranchSite): S => {
  const execute = step.execute.bind(step);
  const run: Executable['execute'] = async (call) => {
    let isLast = false;
    const made = await execute({ ...call, bail: () => (isLast = true) });
    if (!made || !isLast) return made;
    const last = { ...made };
    ended.add(last);
    return last;
  };
  return Object.assign(step, { execute: branchOf(step.id, run, site) });
};

/** Payloads with which branches ended their workflow. */
const ended = new WeakSet<object>();

/** True if a branch ends its workflow; the step after the block then does so. */
export const endsIn = (result: PhaseData): boolean => ended.has(result);

const branchOf =
  (id: string, run: Executable['execute'], site: BranchSite): Executable['execute'] =>
  async (call) => {
    const payload = call.inputData;
    const participants = await site.participants(call);
    if (!participants.includes(id)) return payload;
    if (participants.length === 1) return run(call); // a single branch needs no snapshot
    recordResult(payload, host);
    const slot = site.coordinator.enter(call.runId ?? '', { slot: id, slots: participants.length });
    if (slot.isDismissed()) return leaveWith(slot, payload);
    try {
      const made = await Promise.race([run(onSnapshot(call, slot)), slot.dismissed]);
      return leaveWith(slot, made && !slot.isDismissed() ? made : payload);
    } catch (error) {
      if (slot.isDismissed()) return leaveWith(slot, payload);
      return obey(slot, readError(error, { processorId: id, phase: payload.phase, path: site.path }), payload);
    }
  };

const leaveWith = (slot: BranchSlot, data: PhaseData): PhaseData => {
  slot.leave();
  return data;
};

const obey = async (slot: BranchSlot, own: Stop, payload: PhaseData): Promise<PhaseData> => {
  const orders = await slot.stop(own);
  switch (orders.kind) {
    case 'throw':
      return payloadOf(orders.stop, payload, host);
    case 'leave':
      return payload;
    case 'hand-on':
      return Object.assign({ ...payload }, { stop: own });
    default:
      return orders satisfies never;
  }
};

/** The stop that a branch passed to the merge. */
export const stopIn = (result: PhaseData): Stop | undefined => (result as { stop?: Stop }).stop;

/** The call with the branch's own payload and signal, and a writer that works until the branch is dismissed. */
const onSnapshot = (call: StepCall, slot: BranchSlot): StepCall => {
  const payload: PhaseData & { abortSignal?: AbortSignal } = call.inputData;
  const abortSignal = anySignal([payload.abortSignal, call.abortSignal, slot.signal]);
  const { outputWriter: write } = call;
  return {
    ...call,
    inputData: Object.assign({}, snapshotOf(payload, scopeOfStep(call)), { abortSignal }),
    abortSignal,
    outputWriter: write && ((...chunk) => (slot.isDismissed() ? undefined : write(...chunk))),
  };
};

/** The source text of a condition. */
export const textOfCondition = (when: Condition | undefined): string => (when === otherwise ? 'otherwise' : String(when));

/** The cases of a branch that run for a payload. */
type EngineChoice = Choice<ArmOf<{ readonly index: number }>>;

/** Evaluates the conditions of a branch, once for each payload. */
export const chooser = (results: BlockResults, node: BranchNode, path: string) => {
  const choices = new WeakMap<object, Promise<EngineChoice>>();
  const choose = async (call: StepCall): Promise<EngineChoice> => {
    const scope = scopeOfStep(call, results);
    const payload = call.inputData;
    const row = phaseRow(payload.phase);
    const working = node.arms.flatMap((arm, index) => (hasHookFor(arm.node, row) ? [{ index }] : []));
    return chooseArms(armsOf(node, working, path), stepContext(current(payload, scope.host, row.carries), scope));
  };
  return (call: StepCall): Promise<EngineChoice> => computed(choices, call.inputData, () => choose(call));
};

/** The host's exception as a stop. `author` is the step that threw it; a `processorId` in the exception takes precedence. */
const readError = (error: unknown, author: Author): Stop => {
  const stop = readThrown(error, { author }, host);
  const { processorId } = fieldsIn(error);
  return typeof processorId === 'string' ? { ...stop, processorId } : stop;
};
