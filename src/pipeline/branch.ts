import { InterlockError } from '../errors.js';
import type { Guard } from '../guard/in-sequence.js';
import { isPromise, whenReady, type Awaitable } from '../phase/awaitable.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import { current } from '../phase/settle-messages.js';
import { pass } from '../verdict.js';
import type { Condition, StepContext } from './graph.js';
import type { Block } from './merge-branches.js';
import { inParallel, type Branch } from './parallel.js';

/** One arm of a branch: its condition and what runs where it holds. */
export interface Arm<P extends Phase> extends Branch<P> {
  readonly when: Condition;
  /** The way to the condition, for errors. */
  readonly path: string;
}

/**
 * A branch as one guard: the arms whose conditions hold run side by side and are merged; where none holds the payload passes
 * through. A condition that throws chooses nothing: the run fails closed with `pipeline/condition-failed` and the condition's path.
 */
export const inBranch = <P extends Phase>(arms: readonly Arm<P>[], block: Block<P>): Guard<P> => {
  const blockOf = rememberedBlocks(block);
  return (data, scope) => {
    const context = stepContext(current(data, scope.host, block.row.carries), scope);
    const answers = arms.map((arm) => ask(arm, context));
    return whenReady(allOf(answers), (known) => {
      const failed = known.find((answer) => answer instanceof InterlockError);
      if (failed)
        return {
          kind: 'unavailable',
          processorId: block.path,
          phase: block.row.phase,
          path: failed.path ?? block.path,
          error: failed,
        };
      const matching = arms.filter((_, index) => known[index]);
      const [only] = matching;
      if (!only) return pass;
      return matching.length === 1 ? only.guard(data, scope) : blockOf(matching)(data, scope);
    });
  };
};

/** What a condition of the author's is given. */
export const stepContext = (data: PhaseData, scope: RunScope): StepContext => ({
  inputData: data,
  requestContext: scope.requestContext,
  runId: scope.runId,
});

/** Asks a condition; a failure is an answer too, so that none is left unheard while another is waited for. */
const ask = <P extends Phase>({ when, path }: Arm<P>, context: StepContext): Awaitable<boolean | InterlockError> => {
  try {
    const answer = when(context);
    return isPromise(answer) ? answer.then(Boolean, (cause) => conditionFailed(path, cause)) : answer;
  } catch (cause) {
    return conditionFailed(path, cause);
  }
};

const conditionFailed = (path: string, cause: unknown): InterlockError =>
  new InterlockError('pipeline/condition-failed', { path, cause });

const allOf = <T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> => {
  const ready = values.filter((value): value is T => !isPromise(value));
  return ready.length === values.length ? ready : Promise.all(values);
};

/** The same arms match again and again: their block is made once. */
const rememberedBlocks = <P extends Phase>(block: Block<P>): ((arms: readonly Arm<P>[]) => Guard<P>) => {
  const blocks = new Map<string, Guard<P>>();
  return (arms) => {
    const key = arms.map(({ path }) => path).join(' ');
    const guard = blocks.get(key) ?? inParallel(arms, block);
    blocks.set(key, guard);
    return guard;
  };
};
