import type { Processor } from '@mastra/core/processors';
import { isPromise } from '../phase/awaitable.js';
import type { Host } from '../phase/host.js';
import type { HookCall, HookName, Phase, PhaseRow } from '../phase/row.js';
import { withSignals } from '../phase/send-signal.js';
import { checkMessages } from '../phase/settle-messages.js';
import { processorRuns, type ProcessorRun } from './processor-run.js';
import { inSequence, type Guard, type GuardStep } from './in-sequence.js';
import { tripWireOf } from './read-thrown.js';

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
      const own = runIn(scope, data.retryCount ?? scope.retryCount);
      const { context: shared, slot } = own;
      const { host } = scope;
      const context = row.carries ? withSignals(shared, data, host) : shared;
      let answer: unknown;
      try {
        // The hook is there: only processors that have it stand in a phase.
        answer = row.invoke({ processor: processor as HookCall<P, HookName>['processor'], data, context, slot, host });
      } catch (error) {
        throw heldTo(own, error, host);
      }
      return isPromise(answer) ? heard(own, answer, host) : said(own, answer);
    },
    read: (returned, data, { host }) => {
      const settling = { data, processorId: processor.id, host };
      if (row.carries) checkMessages(settling, row.carries);
      return row.settle(returned, settling);
    },
  };
};

const takeAborted = (own: ProcessorRun): Error | undefined => {
  const { aborted } = own;
  own.aborted = undefined;
  return aborted;
};

/** What a hook gave. One that called `abort` has said so, whatever it did with the error that it was thrown. */
const said = (own: ProcessorRun, answer: unknown): unknown => {
  const aborted = takeAborted(own);
  if (aborted) throw aborted;
  return answer;
};

/** What a hook threw: a tripwire, or else the one that it was thrown itself, or what it failed with. */
const heldTo = (own: ProcessorRun, error: unknown, host: Host): unknown => {
  const aborted = takeAborted(own);
  return tripWireOf(error, host) ? error : (aborted ?? error);
};

const heard = async (own: ProcessorRun, answer: Promise<unknown>, host: Host): Promise<unknown> => {
  let value: unknown;
  try {
    value = await answer;
  } catch (error) {
    throw heldTo(own, error, host);
  }
  return said(own, value);
};

/** A processor's hook as a guard of its own. */
export const guardOf = <P extends Phase>(site: GuardSite<P>): Guard<P> => inSequence([stepOf(site)]);
