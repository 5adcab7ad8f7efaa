import type { Processor } from '@mastra/core/processors';
import { createStep as createMastraStep, type Step } from '@mastra/core/workflows';
import { parsePayload, ProcessorStepInputSchema, ProcessorStepOutputSchema } from '../../schemas/index.js';
import { InterlockError, isInterlockError } from '../errors.js';
import { guardOf } from '../guard/guard.js';
import type { Phase, PhaseData, PhaseRow } from '../phase/row.js';
import { withMessageList } from '../phase/settle-messages.js';
import { phaseRow } from '../phase/table.js';
import { checkProcessor, type PayloadFunction } from '../pipeline/graph.js';
import type { Stop, Verdict } from '../verdict.js';
import { createHost } from './host.js';
import { scopeOfStep, type StepCall } from './scope.js';

/** A step of a guard workflow, as Mastra's builder takes it. */
export type ProcessorStep = Step<string, unknown, PhaseData, PhaseData>;

/** Which processor a step was made of; Mastra's own steps keep theirs to themselves. */
const processors = new WeakMap<object, Processor>();

export const processorOfStep = (step: object): Processor | undefined => processors.get(step);

/**
 * A processor as a step of a Mastra workflow, for all nine phases. In a phase for which the processor has no hook the payload
 * passes through. Step id: `processor:<id>`, as Mastra's own.
 *
 * Raises `pipeline/missing-id`, `pipeline/no-hook`; when run, a guard that blocks throws Mastra's TripWire, a guard that
 * fails throws `guard/unavailable`.
 */
export const processorStep = (processor: Processor): ProcessorStep => {
  checkProcessor(processor, 'processorStep');
  const run: PayloadFunction = (data, scope) => {
    const row = phaseRow(data.phase);
    return typeof processor[row.hook] === 'function'
      ? guardOf({ row, processor, path: processor.id })(data, scope)
      : { kind: 'pass' };
  };
  const step = payloadStep({
    id: `processor:${processor.id}`,
    description: processor.description ?? processor.name ?? `Processor ${processor.id}`,
    run: async (data, scope) => payloadOf((await run(data, scope)) as Verdict<PhaseData>, data),
  });
  processors.set(step, processor);
  return step;
};

interface PayloadStep {
  id: string;
  description?: string;
  run: PayloadFunction;
}

/** A step over the phase payload. JSON that comes from outside is checked here; inside an agent it has been already. */
export const payloadStep = ({ id, description, run }: PayloadStep): ProcessorStep =>
  createMastraStep({
    id,
    description,
    inputSchema: ProcessorStepInputSchema,
    outputSchema: ProcessorStepOutputSchema,
    component: 'PROCESSOR',
    execute: async (call: StepCall) => run(checkedPayload(call.inputData), scopeOfStep(call)),
  } as never) as unknown as ProcessorStep; // Mastra types a step by its schemas; ours say the same in their own names

/** A payload from an agent carries the agent's processor states; any other is outside input. */
const checkedPayload = (inputData: object): PhaseData => {
  const data = 'processorStates' in inputData ? (inputData as unknown as PhaseData) : parsePayload(inputData);
  const row: PhaseRow = phaseRow(data.phase as Phase);
  return row.carries ? (withMessageList(data as never, createHost(), row.carries) as PhaseData) : data;
};

/** What a verdict leaves to go on with; a stop is thrown, for exceptions are how Mastra's engine is told. */
export const payloadOf = (verdict: Verdict<PhaseData>, data: PhaseData): PhaseData => {
  switch (verdict.kind) {
    case 'pass':
      return data;
    case 'edit':
      return verdict.data;
    case 'trip':
    case 'retry':
    case 'unavailable':
      throw errorOf(verdict);
    default:
      return verdict satisfies never;
  }
};

/** A stop as the host's exception. */
export const errorOf = (stop: Stop): unknown => {
  if (stop.kind !== 'unavailable') {
    const { reason, metadata, processorId } = stop;
    return createHost().createTripWire({ reason, metadata, processorId, retry: stop.kind === 'retry' });
  }
  if (isInterlockError(stop.error)) return stop.error;
  return new InterlockError('guard/unavailable', { path: `${stop.phase} ${stop.path}`, cause: stop.error });
};
