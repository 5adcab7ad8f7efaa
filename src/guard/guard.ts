import type { Processor } from '@mastra/core/processors';
import { isPromise } from '../phase/awaitable.js';
import type { Host } from '../phase/host.js';
import type { HookCall, HookName, Phase, PhaseRow } from '../phase/row.js';
import { withSignals } from '../phase/send-signal.js';
import { checkMessages } from '../phase/settle-messages.js';
import type { Author } from '../verdict.js';
import { createHookContexts, type OpenCall } from './hook-context-cache.js';
import { inSequence, type Guard, type GuardStep } from './in-sequence.js';
import { tripWireOf } from './read-thrown.js';

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
    run: (data, scope) => {
      const own = runIn(scope, data.retryCount ?? scope.retryCount);
      const { context: shared, slot } = own;
      const call = own.openCall(author);
      const { host } = scope;
      const context = row.carries ? withSignals(shared, data, host) : shared;
      let answer: unknown;
      try {
        // The hook exists: only processors that implement it are called in a phase.
        answer = row.invoke({ processor: processor as HookCall<P, HookName>['processor'], data, context, slot, host });
      } catch (error) {
        throw errorOf(call, error, host);
      }
      return isPromise(answer) ? settledResult(call, answer, host) : resultOf(call, answer);
    },
    read: (returned, data, { host }) => {
      const options = { data, processorId: processor.id, host };
      if (row.carries) checkMessages(options, row.carries);
      return row.settle(returned, options);
    },
  };
};

/** The result of a hook. If the hook called `abort`, that counts, even if it caught the error. */
const resultOf = (call: OpenCall, answer: unknown): unknown => {
  call.isSettled = true;
  if (call.aborted) throw call.aborted;
  return answer;
};

/** The verdict of a hook that threw: a tripwire, otherwise the one from `abort`, otherwise the error. */
const errorOf = (call: OpenCall, error: unknown, host: Host): unknown => {
  call.isSettled = true;
  return tripWireOf(error, host) ? error : (call.aborted ?? error);
};

const settledResult = async (call: OpenCall, answer: Promise<unknown>, host: Host): Promise<unknown> => {
  let value: unknown;
  try {
    value = await answer;
  } catch (error) {
    throw errorOf(call, error, host);
  }
  return resultOf(call, value);
};

/** A processor's hook as a guard of its own. */
export const guardOf = <P extends Phase>(site: GuardSite<P>): Guard<P> => inSequence([stepOf(site)]);
