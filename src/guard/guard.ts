import type { Processor } from '@mastra/core/processors';
import { InterlockError } from '../errors.js';
import type { Host } from '../phase/host.js';
import type { HookCall, HookContext, HookName, Phase, PhaseRow } from '../phase/row.js';
import type { ProcessorSlot, RunScope } from '../phase/scope.js';
import { checkMessages, listOf, type MessageCarrier } from '../phase/settle-messages.js';
import type { Author } from '../verdict.js';
import type { GuardStep } from './in-sequence.js';
import type { StepCall } from './step-call.js';

/** A processor's hook at one position of a pipeline. */
interface GuardSite<P extends Phase> {
  readonly row: PhaseRow<P>;
  /** A processor that has the row's hook. */
  readonly processor: Processor;
  /** The guard's path in its pipeline. */
  readonly path: string;
}

/** A processor's hook as a step of a sequence. */
export const stepOf = <P extends Phase>({ row, processor, path }: GuardSite<P>): GuardStep<P> => {
  const runIn = createHookContexts(processor);
  const { skips } = row;
  const author: Author = { processorId: processor.id, phase: row.phase, path };
  return {
    author,
    onViolation: (violation) => processor.onViolation?.(violation),
    skips: skips && ((data) => skips(data, processor)),
    run: (data, scope, call) => {
      const { context: shared, slot } = runIn(scope, data.retryCount ?? scope.retryCount);
      shared.abort = abortOf(scope, author, call);
      const { host } = scope;
      const context = row.carries ? withSignals(shared, data, host) : shared;
      // The hook exists: only processors that implement it are called in a phase.
      return row.invoke({ processor: processor as HookCall<P, HookName>['processor'], data, context, slot, host });
    },
    read: (returned, data, { host }) => {
      const options = { data, processorId: processor.id, host };
      if (row.carries) checkMessages(options, row.carries);
      return row.settle(returned, options);
    },
  };
};

/**
 * Context of a hook over messages, which may also add a signal to the conversation, such as a hidden reminder for the model. The
 * client gets it as a data part.
 */
const withSignals = (context: HookContext, data: MessageCarrier, host: Host): HookContext => ({
  ...context,
  sendSignal: async (given) => {
    const signal = host.messages.addSignal(listOf(data), given);
    await context.writer?.custom(signal.toDataPart());
    return signal;
  },
});

/** A processor's state in a run, and the context of all its hooks. */
interface HookContextCache {
  readonly slot: ProcessorSlot;
  /** Its `abort` belongs to the last call. */
  readonly context: HookContext;
}

/**
 * Creates the function that returns a processor's cache in a run. It exists once per run and processor, because hooks are called for
 * every chunk of a stream; only the retry count can change within a run.
 */
const createHookContexts = (processor: Processor): ((scope: RunScope, retryCount: number) => HookContextCache) => {
  const runs = new WeakMap<RunScope, HookContextCache>();
  return (scope, retryCount) => {
    const known = runs.get(scope);
    if (known?.context.retryCount === retryCount) return known;
    const slot = known?.slot ?? scope.slot(processor.id);
    const context: HookContext = { ...contextOf(scope, slot), retryCount };
    const made: HookContextCache = { slot, context };
    runs.set(scope, made);
    return made;
  };
};

const abortOf =
  (scope: RunScope, author: Author, call: StepCall): HookContext['abort'] =>
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
