import type { Processor, ProcessorStepInput } from '@mastra/core/processors';
import { createStep as createMastraStep, type Step } from '@mastra/core/workflows';
import { parsePayload, ProcessorStepInputSchema, ProcessorStepOutputSchema } from '../../../schemas/index.js';
import { compileGraph } from '../../pipeline/compile.js';
import { frozenCopy } from '../../pipeline/frame.js';
import type { FunctionNode, GuardNode } from '../../pipeline/graph.js';
import { checkProcessor } from '../../pipeline/verify/checks.js';
import type { Phase, PhaseData, PhaseRow } from '../../phase/row.js';
import { withMessageList, type MessageCarrier } from '../../phase/settle-messages.js';
import { phaseRow } from '../../phase/table.js';
import { guardNode } from '../graph/guard-node.js';
import { rememberProcessor } from '../graph/to-graph.js';
import { recordResult, payloadOf } from '../graph/thrown-stops.js';
import { host, scopeOfStep, type BlockResults, type Executable, type StepCall } from './scope.js';
import { fieldsIn } from '../../phase/plain-data.js';

/** The type that Mastra declares for values that it does not check, here its engine. */
type Unchecked = Step extends Step<string, unknown, unknown, unknown, unknown, unknown, infer Engine> ? Engine : never;

/**
 * A step of a guard workflow. Mastra's builder compares the types of inputs exactly, and there are several schemas of payloads, so the
 * input is unchecked.
 */
export type ProcessorStep = Step<string, unknown, Unchecked, ProcessorStepInput>;

/**
 * A processor as a step of a Mastra workflow, for all nine phases. In phases without a hook the payload passes through. Step id:
 * `processor:<id>`, as in Mastra.
 *
 * Raises `pipeline/missing-id`, `pipeline/no-hook`; when run, a guard that blocks throws Mastra's TripWire, a guard that
 * fails throws `guard/unavailable`.
 *
 * @example
 * createWorkflow({ id: 'moderation', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
 *   .then(processorStep(redactor({ strategy: 'replace' })))
 *   .commit();
 */
export const processorStep = (processor: Processor): ProcessorStep => {
  checkProcessor(processor, 'processorStep');
  const step = nodeStep(guardNode(processor));
  rememberProcessor(step, processor);
  return step;
};

interface NodePlace {
  /** The step's id among its siblings. */
  readonly id?: string;
  /** The path to the entry. */
  readonly path?: string;
  readonly results?: BlockResults;
  /** True if later functions may read the step's result. */
  readonly keeps?: boolean;
}

/** A guard or a function of a pipeline as a step, which runs as its own plan on Mastra's engine. */
export const nodeStep = (
  node: GuardNode | FunctionNode,
  { id = idOf(node), path = node.id, results, keeps }: NodePlace = {},
): ProcessorStep & Executable => {
  const own = node.kind === 'function' ? { ...node, needsFrame: undefined } : node; // the engine provides the workflow's frame
  const plan = compileGraph({ kind: 'sequence', id: path, nodes: [own] });
  const run = async (call: StepCall): Promise<PhaseData> => {
    const data = openPayload(call.inputData);
    recordResult(data, host);
    const scope = scopeOfStep({ ...call, inputData: data }, results);
    const made = payloadOf(await plan.run<Phase>(data.phase, data, scope), data, host);
    if (scope.workflow?.isOver) call.bail?.(made);
    return keeps ? frozenCopy(made) : made;
  };
  return createMastraStep({
    id,
    description: descriptionOf(node),
    execute: run,
    inputSchema: ProcessorStepInputSchema,
    outputSchema: ProcessorStepOutputSchema,
    component: 'PROCESSOR',
  } as never) as unknown as ProcessorStep & Executable; // Mastra types a step by its schemas; ours are equal under other names
};

const idOf = (node: GuardNode | FunctionNode): string => (node.kind === 'guard' ? `processor:${node.id}` : node.id);

const descriptionOf = (node: GuardNode | FunctionNode): string | undefined =>
  node.kind === 'guard' ? (node.processor.description ?? node.processor.name ?? `Processor ${node.id}`) : undefined;

/**
 * A payload that is ready for guards. With states it was opened before. Any other comes from outside, perhaps as JSON: it is
 * checked, and gets states and a message list. Raises `schema/invalid-payload`, `phase/unknown`.
 */
export const openPayload = (inputData: object): PhaseData => {
  const { processorStates } = fieldsIn(inputData);
  if (processorStates) return withList(inputData as PhaseData); // checked when the states were added
  return Object.assign(withList(parsePayload(inputData)), { processorStates: new Map() });
};

const withList = (data: PhaseData): PhaseData => {
  const row: PhaseRow = phaseRow<Phase>(data.phase);
  const carrier: MessageCarrier = data;
  if (!row.carries || carrier.messageList) return data;
  const messages = carrier.messages?.map((message) => ({ ...message })); // the caller's messages stay unchanged
  return withMessageList({ ...carrier, messages }, host, row.carries) as PhaseData;
};
