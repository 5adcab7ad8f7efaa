import type { ProcessorStepData } from '@mastra/core/processors';
import type { Step } from '@mastra/core/workflows';
import { InterlockError } from '../../errors.js';
import type { Phase, PhaseData, PhaseRow } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import { phaseRow } from '../../phase/table.js';
import { openFrame } from '../../pipeline/frame.js';
import { isSame, definedFields } from '../../phase/plain-data.js';
import { issueText } from '../issue-text.js';

/** A schema of any library, as Mastra keeps it. */
type StandardSchema = Step['inputSchema'];

/** Any step of Mastra: only its `execute` is known. */
export interface ForeignStep {
  id: string;
  /** The kind of component that the step was created from. */
  component?: string;
  /** The number of retries after a failure. */
  retries?: number;
  stateSchema?: StandardSchema;
  requestContextSchema?: StandardSchema;
  execute(call: object): Promise<unknown>;
}

/** The phases of Mastra's step schema: the compiler rejects an extra or a missing one. */
const phasesOfSteps: Record<ProcessorStepData['phase'], true> = {
  input: true,
  inputStep: true,
  outputStream: true,
  outputResult: true,
  outputStep: true,
  toolResult: true,
};

/** The phases in which Mastra's agent runs workflows. Its steps support no others. */
export const foreignPhases: ReadonlySet<string> = new Set(Object.keys(phasesOfSteps));

/**
 * The argument that Mastra's engine gives to a step, a condition or a map. `suspend` and `abort` raise
 * `pipeline/unsupported-step`: a guard that suspends or cancels its workflow would leave the run without a verdict.
 */
export const foreignContext = (id: string, data: PhaseData, scope: RunScope): Record<string, unknown> => {
  const { requestContext, tracingContext, abortSignal, writer, runId, agent } = scope;
  const frame = scope.workflow ?? openFrame(id, data);
  const custom = async (chunk: object, options?: object) => writer?.custom(chunk as never, options); // Mastra checks the chunk
  const reject = (name: string) => () => {
    throw new InterlockError('pipeline/unsupported-step', { path: `${frame.workflowId}/${id}`, detail: `it called ${name}().` });
  };
  return {
    mastra: (agent as { getMastraInstance?(): unknown } | undefined)?.getMastraInstance?.(), // Mastra's agent or ours
    ...frame.more,
    runId,
    workflowId: frame.workflowId,
    requestContext,
    tracingContext,
    abortSignal: abortSignal ?? new AbortController().signal,
    writer: { custom, write: (output: unknown) => custom({ type: 'data-workflow-step-output', data: { stepId: id, output } }) },
    outputWriter: writer && custom,
    retryCount: 0,
    state: frame.state,
    getInitData: () => frame.getInitData(),
    getStepResult: (step: string | { readonly id: string }) => frame.getStepResult(step),
    suspend: reject('suspend'),
    abort: reject('abort'),
  };
};

/** Runs a step of Mastra through its `execute`, with all arguments that Mastra's engine would pass. */
export const runForeign = async (step: ForeignStep, data: PhaseData, scope: RunScope): Promise<unknown> => {
  const inputData = foreignPayload(step, data, scope);
  const returned = (await executed(step, { ...foreignContext(step.id, data, scope), inputData }, scope)) as
    Record<string, unknown> | undefined; // a payload, if anything
  if (!returned || !isChanged(returned, inputData)) return undefined;
  if (!Object.keys(returned).some((name) => name in inputData)) return returned; // no payload: rejected, with its path
  const { state: _state, agent: _agent, abortSignal: _signal, processorStates: _states, toolResultValue, ...edited } = returned;
  const next = {
    ...data,
    ...definedFields(edited),
    ...(toolResultValue !== inputData['toolResultValue'] && { result: toolResultValue }),
    ...('part' in returned && { part: returned['part'] ?? null }),
  } as PhaseData; // checked by the pipeline
  if (step.component !== 'PROCESSOR') return next;
  // A processor's step edits the list, and may return more messages than its phase covers.
  const row: PhaseRow = phaseRow<Phase>(data.phase);
  return row.refresh?.(next, scope.host) ?? next;
};

/**
 * The result of a step, or of its `bail()`. A failed step is retried up to its `retries`; a tripwire is not a failure. The last state
 * that a step sets is added to the workflow's once the step has succeeded.
 */
export const executed = async (step: ForeignStep, context: Record<string, unknown>, scope: RunScope): Promise<unknown> => {
  let bailed: { readonly payload: unknown } | undefined;
  const bail = (payload: unknown) => void (bailed = { payload });
  for (let retryCount = 0; ; retryCount += 1)
    try {
      let update: object | undefined;
      const setState = async (state: object) => void (update = (await valid(step, 'stateSchema', state)) as object); // of the schema's type
      await valid(step, 'requestContextSchema', scope.requestContext?.all ?? {});
      const returned = await step.execute({ ...context, setState, retryCount, bail });
      if (update) await scope.workflow?.setState(update);
      if (!bailed) return returned;
      scope.workflow?.end();
      return bailed.payload;
    } catch (error) {
      const isLast = retryCount >= (step.retries ?? 0) || scope.abortSignal?.aborted;
      if (isLast || scope.host.readTripWire(error)) throw error;
    }
};

/** A value as a step's schema returns it. Throws what the schema rejects. */
const valid = async (step: ForeignStep, name: 'stateSchema' | 'requestContextSchema', value: object): Promise<unknown> => {
  const checked = await step[name]?.['~standard'].validate(value);
  if (!checked) return value;
  if (!checked.issues) return checked.value;
  throw new Error(`${name} of the step ${step.id}: ${checked.issues.map(issueText).join('; ')}`);
};

/** The payload with the fields that Mastra's agent adds. */
const foreignPayload = (step: ForeignStep, data: PhaseData, scope: RunScope): Record<string, unknown> => {
  const { state, streamParts } = scope.slot(step.id);
  if ('part' in data) streamParts.push(data.part);
  return {
    ...data,
    state,
    agent: scope.agent,
    abortSignal: scope.abortSignal,
    retryCount: data.retryCount ?? scope.retryCount,
    ...('streamParts' in data && { streamParts }),
    // Mastra's name for a tool's value, because `result` is used otherwise.
    ...('toolCallId' in data && 'result' in data && { toolResultValue: data.result }),
  };
};

/**
 * Detects edits. A step of Mastra returns the fields that it supports, others as undefined, so only defined and different fields
 * are edits.
 */
const isChanged = (returned: Record<string, unknown>, original: Record<string, unknown>): boolean =>
  Object.entries(returned).some(([name, value]) => !isSame(value, original[name]) && (value !== undefined || name === 'part'));
