import type { ProcessorStepData } from '@mastra/core/processors';
import type { Phase, PhaseData, PhaseRow } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import { phaseRow } from '../../phase/table.js';
import { isSame } from '../../pipeline/plain-data.js';

/** A step of Mastra's, of which we know only that it can be run. */
export interface ForeignStep {
  id: string;
  /** What it was made of. */
  component?: string;
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

/** Runs a step of Mastra's own through its own `execute`, with everything that Mastra's engine would hand it. */
export const runForeign = async (step: ForeignStep, data: PhaseData, scope: RunScope): Promise<unknown> => {
  const inputData = foreignPayload(step, data, scope);
  const { requestContext, tracingContext, abortSignal, writer, runId } = scope;
  const returned = (await step.execute({
    runId,
    inputData,
    requestContext,
    tracingContext,
    abortSignal,
    outputWriter: writer && ((chunk: never, options: never) => writer.custom(chunk, options)),
    getInitData: () => inputData,
    getStepResult: () => inputData,
  })) as Record<string, unknown> | undefined; // a payload, if anything
  if (!returned || !isChanged(returned, inputData)) return undefined;
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
