import type { Processor } from '@mastra/core/processors';
import type { Host } from '../phase/host.js';
import type { HookCall, HookContext, HookName, Phase, PhaseRow } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import { checkMessages, listOf, type MessageCarrier } from '../phase/settle-messages.js';
import type { Author } from '../verdict.js';
import type { GuardStep, StepCall } from './in-sequence.js';
import type { GuardTraits } from './traits.js';

/** A processor's hook at one position of a pipeline. */
interface GuardSite<P extends Phase> {
  readonly row: PhaseRow<P>;
  /** A processor that has the row's hook. */
  readonly processor: Processor;
  /** The guard's path in its pipeline. */
  readonly path: string;
  readonly traits?: GuardTraits;
}

/** A processor's hook as a step of a sequence. */
export const stepOf = <P extends Phase>({ row, processor, path, traits }: GuardSite<P>): GuardStep<P> => {
  const { skips } = row;
  const author: Author = { processorId: processor.id, phase: row.phase, path };
  return {
    author,
    ignoresContent: traits?.ignoresContent,
    onViolation: (violation) => processor.onViolation?.(violation),
    skips: skips && ((data) => skips(data, processor)),
    run: (data, scope, call) => {
      const { host } = scope;
      const slot = scope.slot(processor.id);
      const retryCount = data.retryCount ?? scope.retryCount();
      const shared = contextOf(scope, { state: slot.state, abort: abortOf(scope, author, call), retryCount });
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
    const signal = host.messages.addSignal(listOf(data), given, data.rotateResponseMessageId);
    await context.writer?.custom(signal.toDataPart());
    return signal;
  },
});

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

/** One literal, because it is made for each chunk and guard: with a spread it takes three times as long. */
const contextOf = (scope: RunScope, call: Pick<HookContext, 'state' | 'abort' | 'retryCount'>): HookContext => {
  const observed = scope.host.observe?.(scope.tracingContext);
  return {
    state: call.state,
    abort: call.abort,
    retryCount: call.retryCount,
    requestContext: scope.requestContext,
    tracingContext: observed?.tracingContext ?? scope.tracingContext,
    tracing: observed?.tracing,
    loggerVNext: observed?.loggerVNext,
    metrics: observed?.metrics,
    writer: scope.writer,
    abortSignal: scope.abortSignal,
    messageId: scope.messageId?.(),
    agent: scope.agent,
    heedsRulings: scope.heedsRulings,
  };
};
