import type { Processor } from '@mastra/core/processors';
import { InterlockError } from '../errors.js';
import type { HookContext } from '../phase/row.js';
import type { ProcessorSlot, RunScope } from '../phase/scope.js';
import type { Author } from '../verdict.js';

/** What a processor has in a run: what it keeps, and what all its hooks are handed. */
interface HookContextCache {
  readonly slot: ProcessorSlot;
  /** Its `abort` is that of the call that was opened last. */
  readonly context: HookContext;
  openCall(author: Author): OpenCall;
}

/** A call of a hook. */
export interface OpenCall {
  /** What `abort` threw, which is the hook's verdict. */
  aborted: Error | undefined;
  /** Whether the hook has settled: an `abort` after that is ignored and reported, however long the run goes on. */
  isSettled: boolean;
}

/**
 * Gives what a processor has in a run. Made once per run and processor, because hooks are called for every chunk of a stream;
 * only the count of retries can change within a run.
 */
export const createHookContexts = (processor: Processor): ((scope: RunScope, retryCount: number) => HookContextCache) => {
  const runs = new WeakMap<RunScope, HookContextCache>();
  return (scope, retryCount) => {
    const known = runs.get(scope);
    if (known?.context.retryCount === retryCount) return known;
    const slot = known?.slot ?? scope.slot(processor.id);
    const context: HookContext = { ...contextOf(scope, slot), retryCount };
    const openCall = (author: Author): OpenCall => {
      const call: OpenCall = { aborted: undefined, isSettled: false };
      context.abort = abortOf(scope, author, call);
      return call;
    };
    const made: HookContextCache = { slot, context, openCall };
    runs.set(scope, made);
    return made;
  };
};

const abortOf =
  (scope: RunScope, author: Author, call: OpenCall): HookContext['abort'] =>
  (reason, options) => {
    const { processorId } = author;
    const said = reason || `Tripwire triggered by ${processorId}`;
    if (call.isSettled) {
      scope.reportLateAbort({ author, reason: said });
      return undefined as never; // nothing waits for the hook: what is thrown here would end the process
    }
    const { retry, metadata } = options ?? {};
    const tripwire = scope.host.createTripWire({ reason: said, retry, metadata, processorId });
    call.aborted = tripwire;
    throw tripwire;
  };

const contextOf = (scope: RunScope, { state }: ProcessorSlot): Omit<HookContext, 'retryCount'> => ({
  state,
  abort: () => {
    throw new InterlockError('run/failed', { detail: 'no call of the hook was opened' });
  },
  requestContext: scope.requestContext,
  tracingContext: scope.tracingContext,
  writer: scope.writer,
  abortSignal: scope.abortSignal,
  agent: scope.agent,
  ...(scope.heedsRulings && { heedsRulings: true }),
});
