import { InterlockError } from '../errors.js';
import type { Guard } from '../guard/to-guard.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import { pass, type Unavailable } from '../verdict.js';
import type { Condition, StepContext } from './graph.js';
import { inParallel, type Block, type Branch } from './parallel.js';

/** One arm of a branch: its condition and what runs where it holds. */
export interface Arm<P extends Phase> extends Branch<P> {
  readonly when: Condition;
}

/**
 * A branch as one guard: the arms whose conditions hold run side by side and are merged; where none holds the payload passes
 * through. A condition that throws chooses nothing: the run fails closed with the condition's path.
 */
export const inBranch =
  <P extends Phase>(arms: readonly Arm<P>[], block: Block<P>): Guard<P> =>
  async (data, scope) => {
    const matching = await matchingArms(arms, block, { data, scope });
    if (!Array.isArray(matching)) return matching;
    const [only] = matching;
    if (!only) return pass;
    return matching.length === 1 ? only.guard(data, scope) : inParallel(matching, block)(data, scope);
  };

export const stepContext = (data: PhaseData, scope: RunScope): StepContext => ({
  inputData: data,
  requestContext: scope.requestContext,
  runId: scope.runId,
});

const matchingArms = async <P extends Phase>(
  arms: readonly Arm<P>[],
  block: Block<P>,
  { data, scope }: { data: PhaseData<P>; scope: RunScope },
): Promise<Arm<P>[] | Unavailable> => {
  const matching: Arm<P>[] = [];
  for (const [index, arm] of arms.entries()) {
    const path = `${block.path}.${index}`;
    try {
      if (await arm.when(stepContext(data, scope))) matching.push(arm);
    } catch (cause) {
      const error = new InterlockError('pipeline/condition-failed', { path, cause });
      return { kind: 'unavailable', processorId: block.path, phase: block.row.phase, path, error };
    }
  }
  return matching;
};
