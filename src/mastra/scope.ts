import { ProcessorState } from '@mastra/core/processors';
import type { ProcessorSlot, RunScope } from '../phase/scope.js';
import { createHost } from './host.js';

const host = createHost();
const ignore = () => undefined;

interface StatesCarrier {
  processorStates?: Map<string, ProcessorState>;
  state?: Record<string, unknown>;
  abortSignal?: AbortSignal;
  agent?: unknown;
  runId?: string;
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
 * The scope of a guard that Mastra's engine runs as a workflow step. States live in the map that a Mastra agent passes along
 * in the payload, so that they are kept across chunks and phases; in a run of the workflow alone, in the payload itself.
 */
export const scopeOfStep = ({ inputData, requestContext, tracingContext, abortSignal, outputWriter, runId }: StepCall): RunScope => {
  const carrier = inputData as StatesCarrier & { retryCount?: number };
  return {
    runId: carrier.runId ?? runId,
    host,
    agent: carrier.agent as RunScope['agent'],
    requestContext: requestContext as RunScope['requestContext'],
    tracingContext: tracingContext as RunScope['tracingContext'],
    writer: outputWriter && {
      custom: async (data, options) => void (await outputWriter(data, options)),
    },
    abortSignal: carrier.abortSignal ?? abortSignal,
    retryCount: carrier.retryCount ?? 0,
    slot: (id) => slotIn(carrier, id),
    now: () => performance.now(),
    reportGuard: ignore,
    reportConflict: ignore,
  };
};

const slotIn = (carrier: StatesCarrier, id: string): ProcessorSlot => {
  const { processorStates } = carrier;
  if (!processorStates) return { state: (carrier.state ??= {}), streamParts: [] };
  let own = processorStates.get(id);
  if (!own) processorStates.set(id, (own = new ProcessorState()));
  return { state: own.customState, streamParts: own.streamParts };
};
