import type { Processor } from '@mastra/core/processors';
import type { HookCall, HookName, Phase, PhaseRow } from '../phase/row.js';
import { withSignals } from '../phase/send-signal.js';
import { processorRuns } from './processor-run.js';
import { inSequence, type Guard, type GuardStep } from './in-sequence.js';

/** A processor's hook at one place of a pipeline. */
export interface GuardSite<P extends Phase> {
  readonly row: PhaseRow<P>;
  /** A processor that has the row's hook. */
  readonly processor: Processor;
  /** The way to the guard through its pipeline. */
  readonly path: string;
}

/** A processor's hook as a step of a sequence. */
export const stepOf = <P extends Phase>({ row, processor, path }: GuardSite<P>): GuardStep<P> => {
  const runIn = processorRuns(processor);
  const { skips } = row;
  return {
    author: { processorId: processor.id, phase: row.phase, path },
    onViolation: (violation) => processor.onViolation?.(violation),
    skips: skips && ((data) => skips(data, processor)),
    run: (data, scope) => {
      const { context: shared, slot } = runIn(scope, data.retryCount ?? scope.retryCount);
      const { host } = scope;
      const context = row.carries ? withSignals(shared, data, host) : shared;
      // The hook is there: only processors that have it stand in a phase.
      return row.invoke({ processor: processor as HookCall<P, HookName>['processor'], data, context, slot, host });
    },
    read: (returned, data, { host }) => row.settle(returned, { data, processorId: processor.id, host }),
  };
};

/** A processor's hook as a guard of its own. */
export const guardOf = <P extends Phase>(site: GuardSite<P>): Guard<P> => inSequence([stepOf(site)]);
