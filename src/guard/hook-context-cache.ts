import type { Processor } from '@mastra/core/processors';
import { InterlockError } from '../errors.js';
import type { HookContext } from '../phase/row.js';
import type { ProcessorSlot, RunScope } from '../phase/scope.js';
import type { Author } from '../verdict.js';

/** A processor's state in a run, and the context of all its hooks. */
interface HookContextCache {
  readonly slot: ProcessorSlot;
  /** Its `abort` belongs to the call that was opened last. */
  readonly context: HookContext;
  openCall(author: Author): OpenCall;
}

/** A call of a hook. */
export interface OpenCall {
  /** The error that `abort` threw, which is the hook's verdict. */
  aborted: Error | undefined;
  /** Whether the hook has settled: a later `abort` is ignored and reported, however long the run continues. */
  isSettled: boolean;
}

/**
 * Creates the function that returns a processor's cache in a run. It exists once per run and processor, because hooks are called for
 * every chunk of a stream; only the retry count can change within a run.
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
    const message = reason || `Tripwire triggered by ${processorId}`;
    if (call.isSettled) {
      scope.reportLateAbort({ author, reason: message });
      return undefined as never; // no caller awaits the hook: an error here would end the process
    }
    const { retry, metadata } = options ?? {};
    const tripwire = scope.host.createTripWire({ reason: message, retry, metadata, processorId });
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
