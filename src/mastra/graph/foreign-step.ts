import type { Step } from '@mastra/core/workflows';
import { phasePayloadSchema } from '../../../schemas/phase-payload.js';
import { InterlockError } from '../../errors.js';
import type { Phase, PhaseData, PhaseRow } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import { phaseRow } from '../../phase/table.js';
import { openFrame } from '../../pipeline/frame.js';
import { isObject, isSame } from '../../phase/plain-data.js';
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
  inputSchema?: StandardSchema | undefined;
  stateSchema?: StandardSchema;
  requestContextSchema?: StandardSchema;
  execute(call: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** The schemas that every payload fits: ours, and Mastra's once it is loaded. */
const payloadSchemas = new Set<unknown>([phasePayloadSchema]);

export const addPayloadSchema = (schema: object): void => void payloadSchemas.add(schema);

/** Whether a schema is that of all payloads, which need no check by it. */
export const isPayloadSchema = (schema: unknown): boolean => payloadSchemas.has(schema);

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
  const given = foreignPayload(step, data, scope);
  const inputData = isPayloadSchema(step.inputSchema) ? given : await valid(step, 'inputSchema', given);
  const returned = await executed(step, { ...foreignContext(step.id, data, scope), inputData }, scope);
  if (!isObject(returned)) return undefined;
  const edited = editsIn(returned, given, inputData);
  if (Object.keys(edited).length === 0) return undefined;
  if (!Object.keys(returned).some((name) => name in given)) return returned; // no payload: rejected, with its path
  const { state: _state, agent: _agent, abortSignal: _signal, processorStates: _states, toolResultValue, ...fields } = edited;
  const next = {
    ...data,
    ...fields,
    ...('toolResultValue' in edited && { result: toolResultValue }),
    ...('part' in edited && { part: edited['part'] ?? null }),
  } as PhaseData; // checked by the pipeline
  if (step.component !== 'PROCESSOR') return next;
  // A processor's step edits the list, and may return more messages than its phase covers.
  const row: PhaseRow = phaseRow<Phase>(data.phase);
  return row.refresh?.(next, scope.host) ?? next;
};

type Fields = Readonly<Record<string, unknown>>;

/**
 * The fields that a step edited, or that its schema added. A step of Mastra returns the fields that it supports, others as undefined, so
 * only defined and different fields are edits; what its schema makes of a field is for the step alone.
 */
const editsIn = (returned: Fields, given: Fields, inputData: Fields): Fields => {
  const isEdit = ([name, value]: [string, unknown]): boolean =>
    (!(name in given) || !isSame(value, inputData[name])) && (value !== undefined || name === 'part');
  return Object.fromEntries(Object.entries(returned).filter(isEdit));
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
      const setState = async (state: object) => void (update = await valid(step, 'stateSchema', state as Fields)); // any object
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

/** A value as a step's schema returns it; as in Mastra, a result without fields counts as none. Throws what the schema rejects. */
const valid = async (
  step: ForeignStep,
  name: 'inputSchema' | 'stateSchema' | 'requestContextSchema',
  value: Fields,
): Promise<Fields> => {
  const checked = await step[name]?.['~standard'].validate(value);
  if (!checked) return value;
  if (!checked.issues) return isObject(checked.value) && Object.keys(checked.value).length > 0 ? checked.value : value;
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
    retryCount: data.retryCount ?? scope.retryCount(),
    ...('streamParts' in data && { streamParts }),
    // Mastra's name for a tool's value, because `result` is used otherwise.
    ...('toolCallId' in data && 'result' in data && { toolResultValue: data.result }),
  };
};
