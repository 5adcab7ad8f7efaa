import { InterlockError } from '../errors.js';
import { type Awaitable, isPromise, whenReady } from '../phase/awaitable.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import { type BranchNode, type Condition, otherwise, scopeOfContext, type StepContext } from './graph.js';
import type { Guard } from '../guard/in-sequence.js';
import { current } from '../phase/settle-messages.js';
import { pass } from '../verdict.js';
import type { Block } from './merge-branches.js';
import { inParallel, type IndexedBranch } from './parallel.js';
import { computed } from '../phase/plain-data.js';

/** A condition and its path, for errors. */
interface ConditionalArm {
  readonly when: Condition;
  readonly path: string;
}

/** A case of a branch, with its compiled branch; undefined if the case has nothing to do in the phase. */
export interface ArmOf<B> extends ConditionalArm {
  readonly branch: B | undefined;
}

/** The cases whose conditions are evaluated in a phase: those with a branch there; all of them if one of these is `otherwise`. */
export const armsOf = <B extends { readonly index: number }>(
  { arms }: BranchNode,
  branches: readonly B[],
  path: string,
): ArmOf<B>[] => {
  const hasOtherwise = branches.some(({ index }) => arms[index]?.when === otherwise);
  return arms
    .map(({ when }, index) => ({
      when,
      path: `${path}/when.${index}`,
      branch: branches.find((branch) => branch.index === index),
    }))
    .filter(({ branch }) => hasOtherwise || branch);
};

/** The cases that run, or the first condition that threw, in their written order. */
export type Choice<A extends ConditionalArm> = { matching: readonly A[]; failure?: undefined } | { failure: InterlockError };

/**
 * Evaluates all conditions of a branch: all cases whose condition holds run, and `otherwise` if none does. If a condition throws, no case
 * is chosen: `pipeline/condition-failed` with the condition's path, because skipping a guard after a failed condition would let
 * everything pass.
 */
export const chooseArms = <A extends ConditionalArm>(arms: readonly A[], context: StepContext): Awaitable<Choice<A>> => {
  const conditional = arms.filter(({ when }) => when !== otherwise);
  const answers = conditional.map((arm) => evaluate(arm, context)); // evaluates all of them, so that no error is missed while another one is pending
  return whenReady(allOf(answers), (known) => {
    const failure = known.find((answer) => answer instanceof InterlockError);
    if (failure) return { failure };
    const matching = conditional.filter((_, index) => known[index]);
    return { matching: matching.length > 0 ? matching : arms.filter(({ when }) => when === otherwise) };
  });
};

/** The argument of the author's functions; only those of Mastra's workflows find the scope in it. */
export const stepContext = <Input = PhaseData>(inputData: Input, scope: RunScope): StepContext<Input> => {
  const { requestContext, runId } = scope;
  return Object.defineProperty({ inputData, requestContext, runId }, scopeOfContext, { value: scope });
};

const evaluate = ({ when, path }: ConditionalArm, context: StepContext): Awaitable<boolean | InterlockError> => {
  const failed = (cause: unknown) => new InterlockError('pipeline/condition-failed', { path, cause });
  try {
    const answer = when(context);
    return isPromise(answer) ? Promise.resolve(answer).then(Boolean, failed) : answer;
  } catch (cause) {
    return failed(cause);
  }
};

const allOf = <T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> => {
  const ready = values.filter((value): value is T => !isPromise(value));
  return ready.length === values.length ? ready : Promise.all(values);
};

/**
 * A branch as one guard: the cases whose conditions hold run in parallel and are merged; if none runs, the payload passes through. If a
 * condition throws, no case runs, and the run fails closed.
 */
export const inBranch = <P extends Phase>(arms: readonly ArmOf<IndexedBranch<P>>[], block: Block<P>): Guard<P> => {
  const blockOf = rememberedBlocks(block);
  return (data, scope) => {
    const context = stepContext(current(data, scope.host, block.row.carries), scope);
    return whenReady(chooseArms(arms, context), (choice) => {
      if (choice.failure) {
        const { failure } = choice;
        const path = failure.path ?? block.path;
        return { kind: 'unavailable', processorId: block.path, phase: block.row.phase, path, error: failure };
      }
      const branches = choice.matching.flatMap(({ branch }) => branch ?? []);
      const [only] = branches;
      if (!only) return pass;
      return branches.length === 1 ? only.guard(data, scope) : blockOf(branches)(data, scope);
    });
  };
};

/** Caches the block of each set of branches, because the same sets run repeatedly. */
const rememberedBlocks = <P extends Phase>(block: Block<P>): ((branches: readonly IndexedBranch<P>[]) => Guard<P>) => {
  const blocks = new Map<string, Guard<P>>();
  return (branches) => {
    const key = branches.map(({ index }) => index).join(' ');
    return computed(blocks, key, () => inParallel(branches, block));
  };
};
