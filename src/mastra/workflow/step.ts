import type { Processor } from '@mastra/core/processors';
import { createStep as createMastraStep, type Step } from '@mastra/core/workflows';
import { parsePayload, ProcessorStepInputSchema, ProcessorStepOutputSchema } from '../../../schemas/index.js';
import { errorTable, InterlockError, isInterlockError } from '../../errors.js';
import { readThrown } from '../../guard/read-thrown.js';
import { compileGraph } from '../../pipeline/compile.js';
import type { FunctionNode, GuardNode } from '../../pipeline/graph.js';
import { checkProcessor } from '../../pipeline/verify/refuse.js';
import type { Phase, PhaseData, PhaseRow } from '../../phase/row.js';
import { withMessageList, type MessageCarrier } from '../../phase/settle-messages.js';
import { phaseRow } from '../../phase/table.js';
import type { Author, Stop, Verdict } from '../../verdict.js';
import { guardNode } from './guard-node.js';
import { createHost } from './host.js';
import { scopeOfStep, type StepCall } from './scope.js';

/** A step of a guard workflow, as Mastra's builder takes it. */
export type ProcessorStep = Step<string, unknown, PhaseData, PhaseData>;

/** Which processor a step was made of; Mastra's own steps keep theirs to themselves. */
const processors = new WeakMap<object, Processor>();

/** The processor that a step of ours was made of. */
export const processorOfStep = (step: object): Processor | undefined => processors.get(step);

/**
 * A processor as a step of a Mastra workflow, for all nine phases. In a phase for which the processor has no hook the payload
 * passes through. Step id: `processor:<id>`, as Mastra's own.
 *
 * Raises `pipeline/missing-id`, `pipeline/no-hook`; when run, a guard that blocks throws Mastra's TripWire, a guard that
 * fails throws `guard/unavailable`.
 *
 * @example
 * createWorkflow({ id: 'moderation', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
 *   .then(processorStep(piiGuard()))
 *   .commit();
 */
export const processorStep = (processor: Processor): ProcessorStep => {
  checkProcessor(processor, 'processorStep');
  const step = nodeStep(guardNode(processor));
  processors.set(step, processor);
  return step;
};

interface NodePlace {
  /** The step's id among its siblings. */
  readonly id?: string;
  /** The way to what it stands in. */
  readonly where?: string;
}

/** A guard or a function of a pipeline as a step: on Mastra's engine it runs as the plan of itself alone. */
export const nodeStep = (node: GuardNode | FunctionNode, { id = idOf(node), where = node.id }: NodePlace = {}): ProcessorStep => {
  const plan = compileGraph({ kind: 'sequence', id: where, nodes: [node] });
  const run = async (call: StepCall): Promise<PhaseData> => {
    const data = openPayload(call.inputData);
    const verdict = await plan.run<Phase>(data.phase, data, scopeOfStep({ ...call, inputData: data }));
    return payloadOf(verdict, data);
  };
  return rawStep({ id, description: descriptionOf(node), execute: run });
};

const idOf = (node: GuardNode | FunctionNode): string => (node.kind === 'guard' ? `processor:${node.id}` : node.id);

const descriptionOf = (node: GuardNode | FunctionNode): string | undefined =>
  node.kind === 'guard' ? (node.processor.description ?? node.processor.name ?? `Processor ${node.id}`) : undefined;

interface RawStep {
  id: string;
  description?: string;
  execute(call: StepCall): Promise<unknown>;
}

/** A step over the phase payload. */
export const rawStep = (step: RawStep): ProcessorStep =>
  createMastraStep({
    ...step,
    inputSchema: ProcessorStepInputSchema,
    outputSchema: ProcessorStepOutputSchema,
    component: 'PROCESSOR',
  } as never) as unknown as ProcessorStep; // Mastra types a step by its schemas; ours say the same in their own names

/**
 * A payload as guards can work on it. One that carries the states of its run is on its way already; any other comes from outside,
 * maybe as JSON: it is checked, and gets states and a message list. Raises `schema/invalid-payload`, `phase/unknown`.
 */
export const openPayload = (inputData: object): PhaseData => {
  const { processorStates } = inputData as { processorStates?: unknown };
  if (processorStates) return withList(inputData as PhaseData); // it was checked when it got them
  return Object.assign(withList(parsePayload(inputData)), { processorStates: new Map() });
};

const withList = (data: PhaseData): PhaseData => {
  const row: PhaseRow = phaseRow<Phase>(data.phase);
  const carrier: MessageCarrier = data;
  return row.carries ? (withMessageList(carrier, createHost(), row.carries) as PhaseData) : data;
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
export const errorOf = (stop: Stop): Error => {
  if (stop.kind !== 'unavailable') {
    const { reason, metadata, processorId } = stop;
    return createHost().createTripWire({ reason, metadata, processorId, retry: stop.kind === 'retry' });
  }
  const error = isTold(stop.error)
    ? stop.error
    : new InterlockError('guard/unavailable', { path: `${stop.phase} ${stop.path}`, cause: stop.error });
  return Object.assign(error, { processorId: stop.processorId }); // an engine keeps what an error carries, though not its class
};

/** The host's exception as a stop; `author` is whose step threw it, which says less than the exception may. */
export const readError = (error: unknown, author: Author): Stop => {
  const stop = readThrown(error, { author }, createHost());
  const { processorId } = (error ?? {}) as { processorId?: unknown };
  return typeof processorId === 'string' ? { ...stop, processorId } : stop;
};

/** Whether an error says already what failed and where. A nested workflow's comes as a plain object. */
const isTold = (error: unknown): error is Error =>
  isInterlockError(error) || Object.hasOwn(errorTable, String((error as { code?: unknown } | undefined)?.code));
