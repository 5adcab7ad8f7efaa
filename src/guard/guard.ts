import type { Processor } from '@mastra/core/processors';
import { whenReady, type Awaitable } from '../phase/awaitable.js';
import type { HookCall, HookContext, HookName, Phase, PhaseData, PhaseRow } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import { pass, type Author, type Verdict } from '../verdict.js';
import { failClosed } from './fail-closed.js';
import { compose } from './layer.js';
import { recorded } from './recorded.js';

/** One call of one guard: the payload and the run it belongs to. */
export interface GuardCall<P extends Phase> {
  readonly data: PhaseData<P>;
  readonly scope: RunScope;
}

/** One hook of one processor, ready to run: never throws, always a verdict. */
export type Guard<P extends Phase> = (data: PhaseData<P>, scope: RunScope) => Awaitable<Verdict<PhaseData<P>>>;

export interface GuardSite<P extends Phase> {
  readonly row: PhaseRow<P>;
  readonly processor: Processor;
  /** The way to the guard through its pipeline. */
  readonly path: string;
}

/** Builds the guard of a processor at one place of a pipeline: its hook with every layer around it. */
export const guardOf = <P extends Phase>({ row, processor, path }: GuardSite<P>): Guard<P> => {
  const author: Author = { processorId: processor.id, phase: row.phase, path };
  const run = compose<GuardCall<P>, Verdict<PhaseData<P>>>([recorded(author), failClosed(author, processor)], ({ data, scope }) => {
    const call = { processor, data, context: hookContext(processor, data, scope), scope };
    // The row's hook is there: only processors that have it are compiled into a phase.
    const returned = row.invoke(call as HookCall<P, HookName>);
    return whenReady(returned as Awaitable<unknown>, (value) =>
      row.settle(value, { data, processorId: processor.id, host: scope.host }),
    );
  });
  return (data, scope) => (row.skips?.(data, processor) ? pass : run({ data, scope }));
};

const hookContext = (processor: Processor, data: PhaseData, scope: RunScope): HookContext => ({
  state: scope.slot(processor.id).state,
  abort: (reason, options) => {
    throw scope.host.createTripWire({
      reason: reason || `Tripwire triggered by ${processor.id}`,
      retry: options?.retry,
      metadata: options?.metadata,
      processorId: processor.id,
    });
  },
  retryCount: data.retryCount ?? scope.retryCount,
  requestContext: scope.requestContext,
  tracingContext: scope.tracingContext,
  writer: scope.writer,
  abortSignal: scope.abortSignal,
  agent: scope.agent,
});
