import { InterlockError } from '../errors.js';
import { isPromise, whenReady, type Awaitable } from '../phase/awaitable.js';
import type { PhaseData } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import type { Condition, StepContext } from './graph.js';

/** A condition and the way to it, for errors. */
export interface AskedArm {
  readonly when: Condition;
  readonly path: string;
}

/** The arms whose conditions hold, or the first condition that threw, in the order in which they are written. */
export type Choice<A extends AskedArm> =
  { readonly matching: readonly A[]; readonly failure?: undefined } | { readonly failure: InterlockError };

/**
 * Asks all conditions of a branch. One that throws chooses nothing: `pipeline/condition-failed` with the condition's path, for a
 * guard that is skipped because a condition broke would let everything pass.
 */
export const chooseArms = <A extends AskedArm>(arms: readonly A[], context: StepContext): Awaitable<Choice<A>> => {
  const answers = arms.map((arm) => ask(arm, context)); // all of them: none is left unheard while another is waited for
  return whenReady(allOf(answers), (known) => {
    const failure = known.find((answer) => answer instanceof InterlockError);
    return failure ? { failure } : { matching: arms.filter((_, index) => known[index]) };
  });
};

/** What a condition of the author's is given. */
export const stepContext = (data: PhaseData, scope: Pick<RunScope, 'requestContext' | 'runId'>): StepContext => ({
  inputData: data,
  requestContext: scope.requestContext,
  runId: scope.runId,
});

const ask = ({ when, path }: AskedArm, context: StepContext): Awaitable<boolean | InterlockError> => {
  const failed = (cause: unknown) => new InterlockError('pipeline/condition-failed', { path, cause });
  try {
    const answer = when(context);
    return isPromise(answer) ? answer.then(Boolean, failed) : answer;
  } catch (cause) {
    return failed(cause);
  }
};

const allOf = <T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> => {
  const ready = values.filter((value): value is T => !isPromise(value));
  return ready.length === values.length ? ready : Promise.all(values);
};
