import type { Processor } from '@mastra/core/processors';
import type { HookCall, HookName, Phase, PhaseRow } from '../phase/row.js';
import { hookContexts } from './hook-context.js';
import { toGuard, type Guard } from './to-guard.js';

/** A processor's hook at one place of a pipeline. */
export interface GuardSite<P extends Phase> {
  readonly row: PhaseRow<P>;
  /** A processor that has the row's hook. */
  readonly processor: Processor;
  /** The way to the guard through its pipeline. */
  readonly path: string;
}

/** Builds the guard of a processor at one place of a pipeline. */
export const guardOf = <P extends Phase>({ row, processor, path }: GuardSite<P>): Guard<P> => {
  const contextOf = hookContexts(processor);
  return toGuard<P>({
    author: { processorId: processor.id, phase: row.phase, path },
    onViolation: (violation) => processor.onViolation?.(violation),
    skips: row.skips && ((data) => row.skips?.(data, processor) ?? false),
    run: (data, scope) => {
      const context = contextOf(scope, data.retryCount ?? scope.retryCount);
      // The hook is there: only processors that have it stand in a phase.
      return row.invoke({ processor: processor as HookCall<P, HookName>['processor'], data, context, scope });
    },
    read: (returned, data, { host }) => row.settle(returned, { data, processorId: processor.id, host }),
  });
};
