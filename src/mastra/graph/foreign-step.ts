import type { ProcessorStepData } from '@mastra/core/processors';
import { InterlockError } from '../../errors.js';
import type { Phase, PhaseData, PhaseRow } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import { phaseRow } from '../../phase/table.js';
import { openFrame } from '../../pipeline/frame.js';
import { isSame } from '../../phase/plain-data.js';

/** A step of Mastra's, of which we know only that it can be run. */
export interface ForeignStep {
  id: string;
  /** What it was made of. */
  component?: string;
  /** How often it is run again where it fails. */
  retries?: number;
  execute(call: object): Promise<unknown>;
}

/** The phases of Mastra's step schema: the compiler refuses one too many, and one too few. */
const phasesOfSteps: Record<ProcessorStepData['phase'], true> = {
  input: true,
  inputStep: true,
  outputStream: true,
  outputResult: true,
  outputStep: true,
  toolResult: true,
};

/** The phases that Mastra's agent runs workflows in: a step made for it knows no other. */
export const foreignPhases: ReadonlySet<string> = new Set(Object.keys(phasesOfSteps));

/**
 * The argument that Mastra's engine gives to a step, a condition or a map. `suspend` and `abort` raise
 * `pipeline/unsupported-step`: a guard that suspends or cancels its workflow would leave the run without a verdict.
 */
export const foreignContext = (id: string, data: PhaseData, scope: RunScope): Record<string, unknown> => {
  const { requestContext, tracingContext, abortSignal, writer, runId, agent } = scope;
  const frame = scope.workflow ?? openFrame(id, data);
  const custom = async (chunk: object, options?: object) => writer?.custom(chunk as never, options); // Mastra checks the chunk
  const refuse = (name: string) => () => {
    throw new InterlockError('pipeline/unsupported-step', { path: `${frame.workflowId}/${id}`, detail: `it called ${name}().` });
  };
  return {
    mastra: (agent as { getMastraInstance?(): unknown } | undefined)?.getMastraInstance?.(), // an agent of Mastra's, or ours
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
    setState: (state: object) => frame.setState(state),
    getInitData: () => frame.getInitData(),
    getStepResult: (step: string | { readonly id: string }) => frame.getStepResult(step),
    suspend: refuse('suspend'),
    abort: refuse('abort'),
  };
};

/** Runs a step of Mastra's own through its own `execute`, with everything that Mastra's engine would hand it. */
export const runForeign = async (step: ForeignStep, data: PhaseData, scope: RunScope): Promise<unknown> => {
  const inputData = foreignPayload(step, data, scope);
  const returned = (await executed(step, { ...foreignContext(step.id, data, scope), inputData }, scope)) as
    Record<string, unknown> | undefined; // a payload, if anything
  if (!returned || !isChanged(returned, inputData)) return undefined;
  if (!Object.keys(returned).some((name) => name in inputData)) return returned; // no payload: refused, with its place
  const { state: _state, agent: _agent, abortSignal: _signal, processorStates: _states, toolResultValue, ...edited } = returned;
  const next = {
    ...data,
    ...defined(edited),
    ...(toolResultValue !== inputData['toolResultValue'] && { result: toolResultValue }),
    ...('part' in returned && { part: returned['part'] ?? null }),
  } as PhaseData; // checked where it is taken over
  if (step.component !== 'PROCESSOR') return next;
  // A processor's step has worked on the list, and may hand on more messages than its phase is about.
  const row: PhaseRow = phaseRow<Phase>(data.phase);
  return row.refresh?.(next, scope.host) ?? next;
};

/** What a step gives, or what it ends its workflow with. One that fails is run again as often as it asks for; a tripwire is no failure. */
export const executed = async (step: ForeignStep, context: Record<string, unknown>, scope: RunScope): Promise<unknown> => {
  let bailed: { readonly payload: unknown } | undefined;
  const bail = (payload: unknown) => void (bailed = { payload });
  for (let retryCount = 0; ; retryCount += 1)
    try {
      const returned = await step.execute({ ...context, retryCount, bail });
      if (!bailed) return returned;
      scope.workflow?.end();
      return bailed.payload;
    } catch (error) {
      const isLast = retryCount >= (step.retries ?? 0) || scope.abortSignal?.aborted;
      if (isLast || scope.host.readTripWire(error)) throw error;
    }
};

/** The payload with what Mastra's agent would have put into it. */
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
    // A tool's value has a name of its own there, because `result` is taken.
    ...('toolCallId' in data && 'result' in data && { toolResultValue: data.result }),
  };
};

/** A step of Mastra's hands on what it knows of a payload, the rest as undefined: only what is there and different was edited. */
const isChanged = (returned: Record<string, unknown>, given: Record<string, unknown>): boolean =>
  Object.entries(returned).some(([name, value]) => !isSame(value, given[name]) && (value !== undefined || name === 'part'));

const defined = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
