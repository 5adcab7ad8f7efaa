import type { Guard } from '../guard/in-sequence.js';
import { whenReady } from '../phase/awaitable.js';
import type { Phase } from '../phase/row.js';
import { current } from '../phase/settle-messages.js';
import { pass } from '../verdict.js';
import { chooseArms, stepContext, type ArmOf } from './choose-arms.js';
import type { Block } from './merge-branches.js';
import { inParallel, type IndexedBranch } from './parallel.js';

/**
 * A branch as one guard: the arms whose conditions hold run in parallel and are merged; if none runs, the payload passes through. If a
 * condition throws, no arm runs, and the run fails closed.
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
    const guard = blocks.get(key) ?? inParallel(branches, block);
    blocks.set(key, guard);
    return guard;
  };
};
