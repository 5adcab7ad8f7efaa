import { ProcessorState } from '@mastra/core/processors';
import { createRunScope, type ProcessorSlot, type RunScope } from '../../phase/scope.js';
import { createHost } from './host.js';

/** Mastra, for guards that its engine runs. */
export const host = createHost();

/** What a Mastra agent, or the first step of a run without one, passes along in the payload. */
interface Carrier {
  processorStates?: Map<string, ProcessorState>;
  state?: Record<string, unknown>;
  abortSignal?: AbortSignal;
  agent?: unknown;
  runId?: string;
  retryCount?: number;
}

/** What Mastra's engine hands a step, as far as guards need it. */
export interface StepCall {
  inputData: object;
  requestContext?: unknown;
  tracingContext?: unknown;
  abortSignal?: AbortSignal;
  outputWriter?: (chunk: unknown, options?: unknown) => unknown;
  runId?: string;
}

/**
 * The scope of a guard that Mastra's engine runs as a workflow step. States live in the map that the payload carries, so that
 * they are kept across steps and, under a Mastra agent, across chunks and phases.
 */
export const scopeOfStep = ({
  inputData,
  requestContext,
  tracingContext,
  abortSignal,
  outputWriter,
  runId,
}: StepCall): RunScope => {
  const carrier: Carrier = inputData;
  return createRunScope({
    runId: carrier.runId ?? runId,
    host,
    agent: carrier.agent as RunScope['agent'], // Mastra's engine types what it hands on as unknown, here and below
    requestContext: requestContext as RunScope['requestContext'],
    tracingContext: tracingContext as RunScope['tracingContext'],
    writer: outputWriter && { custom: async (data, options) => void (await outputWriter(data, options)) },
    abortSignal: anyOf(carrier.abortSignal, abortSignal),
    retryCount: carrier.retryCount,
    slot: (id) => slotIn(carrier, id),
  });
};

/** One signal for several. */
export const anyOf = (...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined => {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
};

const slotIn = (carrier: Carrier, id: string): ProcessorSlot => {
  const states = (carrier.processorStates ??= new Map());
  let own = states.get(id);
  if (!own) {
    own = new ProcessorState();
    Object.assign(own.customState, carrier.state); // a form or test may give a state to start with
    states.set(id, own);
  }
  return { state: own.customState, streamParts: own.streamParts };
};
