import { anySignal } from '../phase/any-signal.js';
import type { RunScope } from '../phase/scope.js';

/** What the branches of a block share while they run: a signal of their own, and a voice until the block is decided. */
interface BlockScope {
  readonly scope: RunScope;
  /** Ends the block: aborts the signal, and drops later reports and writes of its branches. */
  cancel(reason: unknown): void;
}

/** Lends out the scopes of a block. */
interface BlockScopes {
  take(outer: RunScope): BlockScope;
  /** Takes a scope back whose branches are all done. */
  giveBack(outer: RunScope, blockScope: BlockScope): void;
}

/**
 * Makes the scopes of one block. They are lent out again and again in a run, because a block may run for every chunk of a
 * stream; two calls at a time never share one, and one that was cancelled is not used again.
 */
export const createBlockScopes = (): BlockScopes => {
  const idle = new WeakMap<RunScope, BlockScope[]>();
  return {
    take: (outer) => idle.get(outer)?.pop() ?? openScope(outer),
    giveBack: (outer, blockScope) => {
      const others = idle.get(outer);
      if (others) others.push(blockScope);
      else idle.set(outer, [blockScope]);
    },
  };
};

const openScope = (outer: RunScope): BlockScope => {
  const controller = new AbortController();
  let isOver = false;
  const { writer } = outer;
  const own: Partial<RunScope> = {
    abortSignal: outer.abortSignal ? anySignal([outer.abortSignal, controller.signal]) : controller.signal,
    writer: writer && {
      custom: async (...args) => {
        if (!isOver) await writer.custom(...args);
      },
    },
    reportGuard: (report) => {
      if (!isOver) outer.reportGuard(report);
    },
    reportConflict: (report) => {
      if (!isOver) outer.reportConflict(report);
    },
    reportStale: (report) => {
      if (!isOver) outer.reportStale(report);
    },
  };
  return {
    // Whatever is not the block's own is the outer scope's, also what changes there later.
    scope: Object.create(outer, Object.getOwnPropertyDescriptors(own)) as RunScope,
    cancel: (reason) => {
      isOver = true;
      controller.abort(reason);
    },
  };
};
