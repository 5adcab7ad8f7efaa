import type { Processor } from '@mastra/core/processors';
import type { HookContext } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';

/**
 * Gives what a processor's hooks are handed in a run beside the phase's own arguments. Made once per run and processor, because
 * hooks are called for every chunk of a stream; only the count of retries can change within a run.
 */
export const hookContexts = (processor: Processor): ((scope: RunScope, retryCount: number) => HookContext) => {
  const contexts = new WeakMap<RunScope, HookContext>();
  return (scope, retryCount) => {
    const known = contexts.get(scope);
    if (known?.retryCount === retryCount) return known;
    const context = hookContext(processor, scope, retryCount);
    contexts.set(scope, context);
    return context;
  };
};

const hookContext = ({ id }: Processor, scope: RunScope, retryCount: number): HookContext => ({
  state: scope.slot(id).state,
  abort: (reason, options) => {
    throw scope.host.createTripWire({
      reason: reason || `Tripwire triggered by ${id}`,
      retry: options?.retry,
      metadata: options?.metadata,
      processorId: id,
    });
  },
  retryCount,
  requestContext: scope.requestContext,
  tracingContext: scope.tracingContext,
  writer: scope.writer,
  abortSignal: scope.abortSignal,
  agent: scope.agent,
});
