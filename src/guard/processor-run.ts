import type { Processor } from '@mastra/core/processors';
import type { HookContext } from '../phase/row.js';
import type { ProcessorSlot, RunScope } from '../phase/scope.js';

/** What a processor has in a run: what it keeps, and what all its hooks are handed. */
export interface ProcessorRun {
  readonly slot: ProcessorSlot;
  readonly context: HookContext;
  /** What `abort` threw last, until it is taken for the hook's verdict. */
  aborted: Error | undefined;
}

/**
 * Gives what a processor has in a run. Made once per run and processor, because hooks are called for every chunk of a stream;
 * only the count of retries can change within a run.
 */
export const processorRuns = (processor: Processor): ((scope: RunScope, retryCount: number) => ProcessorRun) => {
  const runs = new WeakMap<RunScope, ProcessorRun>();
  return (scope, retryCount) => {
    const known = runs.get(scope);
    if (known?.context.retryCount === retryCount) return known;
    const slot = known?.slot ?? scope.slot(processor.id);
    const onAbort = (tripwire: Error) => {
      made.aborted = tripwire;
    };
    const context = hookContext(processor.id, { scope, slot, retryCount, onAbort });
    const made: ProcessorRun = { slot, context, aborted: undefined };
    runs.set(scope, made);
    return made;
  };
};

interface Source {
  scope: RunScope;
  slot: ProcessorSlot;
  retryCount: number;
  onAbort: (tripwire: Error) => void;
}

const hookContext = (id: string, { scope, slot, retryCount, onAbort }: Source): HookContext => ({
  state: slot.state,
  abort: (reason, options) => {
    const tripwire = scope.host.createTripWire({
      reason: reason || `Tripwire triggered by ${id}`,
      retry: options?.retry,
      metadata: options?.metadata,
      processorId: id,
    });
    onAbort(tripwire);
    throw tripwire;
  },
  retryCount,
  requestContext: scope.requestContext,
  tracingContext: scope.tracingContext,
  writer: scope.writer,
  abortSignal: scope.abortSignal,
  agent: scope.agent,
  ...(scope.heedsRulings && { heedsRulings: true }),
});
