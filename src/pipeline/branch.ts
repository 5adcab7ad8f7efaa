import type { Guard } from '../guard/in-sequence.js';
import { whenReady } from '../phase/awaitable.js';
import type { Phase } from '../phase/row.js';
import { current } from '../phase/settle-messages.js';
import { pass } from '../verdict.js';
import { chooseArms, stepContext, type AskedArm } from './choose-arms.js';
import type { Block } from './merge-branches.js';
import { inParallel, type Branch } from './parallel.js';

/** One arm of a branch: its condition and what runs where it holds. */
export interface Arm<P extends Phase> extends Branch<P>, AskedArm {}

/**
 * A branch as one guard: the arms whose conditions hold run side by side and are merged; where none holds the payload passes
 * through. A condition that throws chooses nothing: the run fails closed.
 */
export const inBranch = <P extends Phase>(arms: readonly Arm<P>[], block: Block<P>): Guard<P> => {
  const blockOf = rememberedBlocks(block);
  return (data, scope) => {
    const context = stepContext(current(data, scope.host, block.row.carries), scope);
    return whenReady(chooseArms(arms, context), (choice) => {
      if (choice.failure) {
        const { failure } = choice;
        const path = failure.path ?? block.path;
        return { kind: 'unavailable', processorId: block.path, phase: block.row.phase, path, error: failure };
      }
      const { matching } = choice;
      const [only] = matching;
      if (!only) return pass;
      return matching.length === 1 ? only.guard(data, scope) : blockOf(matching)(data, scope);
    });
  };
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
