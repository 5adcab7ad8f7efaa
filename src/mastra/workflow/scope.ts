import * as mastraAgent from '@mastra/core/agent';
import * as mastraObservability from '@mastra/core/observability';
import { ProcessorState, ProcessorStepSchema } from '@mastra/core/processors';
import { ModelRouterLanguageModel } from '@mastra/core/llm';
import { anySignal } from '../../phase/awaitable.js';
import type { PhaseData, ProcessorSlot } from '../../phase/row.js';
import { createRunScope, type RunScope, type WorkflowFrame } from '../../phase/scope.js';
import { guardReports, type GuardedRunFacts } from '../../trace/observers.js';
import type { Host } from '../../phase/host.js';
import { addPayloadSchema } from '../graph/foreign-step.js';
import { mastraHost, resolveAlone } from '../graph/mastra-host.js';
import { computed } from '../../phase/plain-data.js';

const { createSignal, TripWire, MessageList } = mastraAgent;
const { createObservabilityContext } = mastraObservability;
const parts = { createSignal, TripWire, MessageList, createObservabilityContext };

/** Mastra behind the interface of the pure modules. An agent passes its own `resolveModel`, with its gateways and keys. */
export const createHost = (
  resolveModel: Host['resolveModel'] = (model, path) => resolveAlone(model, path, ModelRouterLanguageModel),
): Host => {
  addPayloadSchema(ProcessorStepSchema);
  return mastraHost(parts, resolveModel);
};

/** The Mastra host for guards on Mastra's engine. */
export const host = createHost();

/** Fields that a Mastra agent, or the first step of a run without one, adds to the payload. */
interface Carrier {
  processorStates?: Map<string, ProcessorState>;
  state?: Record<string, unknown>;
  abortSignal?: AbortSignal;
  agent?: RunScope['agent'];
  runId?: string;
  retryCount?: number;
}

/** The arguments of a step on Mastra's engine that guards need. */
export interface StepCall {
  /** Every step of a pipeline returns the payload. */
  inputData: PhaseData;
  requestContext?: RunScope['requestContext'];
  tracingContext?: RunScope['tracingContext'];
  abortSignal?: AbortSignal;
  outputWriter?: (chunk: unknown, options?: unknown) => unknown;
  runId?: string;
  workflowId?: string;
  state?: object;
  setState?: (state: object) => Promise<void>;
  getInitData?: () => PhaseData;
  getStepResult?: (step: string | { readonly id: string }) => PhaseData | null;
  /** Ends the workflow with a payload. */
  bail?: (payload: PhaseData) => unknown;
}

/** A step of a pipeline, or a workflow used as one. */
export interface Executable {
  readonly id: string;
  execute(call: StepCall): Promise<PhaseData | undefined>;
}

/** The step with a block's result, by the id of each branch. */
export type BlockResults = ReadonlyMap<string, string>;

/**
 * The scope of a guard that Mastra's engine runs as a workflow step. States are in a map inside the payload, so that they persist
 * across steps and, under a Mastra agent, across chunks and phases.
 */
export const scopeOfStep = (call: StepCall, results?: BlockResults): RunScope => {
  const { inputData, requestContext, tracingContext, abortSignal, outputWriter, runId } = call;
  const carrier: Carrier & PhaseData = inputData;
  const { processorStates } = carrier; // a payload without them is not opened yet, so no guard judges it
  const observed = processorStates && guardReports(processorStates, () => factsOf(call, carrier));
  observed?.ask(inputData);
  return createRunScope({
    reports: observed?.reports,
    runId: carrier.runId ?? runId,
    host,
    agent: carrier.agent,
    requestContext,
    tracingContext,
    writer: outputWriter && { custom: async (data, options) => void (await outputWriter(data, options)) },
    abortSignal: carrier.abortSignal ? anySignal([carrier.abortSignal, abortSignal]) : abortSignal,
    retryCount: () => carrier.retryCount ?? 0,
    slot: (id) => slotIn(carrier, id),
    workflow: frameOf(call, results),
  });
};

const factsOf = ({ runId, workflowId = 'workflow' }: StepCall, carrier: Carrier): GuardedRunFacts => ({
  runId: carrier.runId ?? runId ?? crypto.randomUUID(),
  agentId: carrier.agent?.id ?? workflowId,
  host: 'workflow',
  pipelineId: workflowId,
});

/** The workflow of a step, from its engine. Undefined if the step runs without one. */
const frameOf = (call: StepCall, results?: BlockResults): WorkflowFrame | undefined => {
  const { workflowId, getInitData, getStepResult, setState } = call;
  if (workflowId === undefined || !getInitData || !getStepResult) return undefined;
  let state = call.state ?? {};
  let isOver = false;
  return {
    workflowId,
    getInitData,
    getStepResult: (step) => {
      const id = typeof step === 'string' ? step : step.id;
      return getStepResult(results?.get(id) ?? id);
    },
    get state() {
      return state;
    },
    setState: async (made) => {
      state = { ...state, ...made }; // as the engine does
      await setState?.(made);
    },
    get isOver() {
      return isOver;
    },
    end: () => {
      isOver = true;
    },
    more: call,
  };
};

const slotIn = (carrier: Carrier, id: string): ProcessorSlot => {
  const own = computed((carrier.processorStates ??= new Map()), id, () => {
    const state = new ProcessorState();
    Object.assign(state.customState, carrier.state); // a form or test may pass an initial state
    return state;
  });
  return { state: own.customState, streamParts: own.streamParts };
};
