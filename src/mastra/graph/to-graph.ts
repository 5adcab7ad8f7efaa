import type { Processor } from '@mastra/core/processors';
import type { AnyWorkflow } from '@mastra/core/workflows';
import { InterlockError } from '../../errors.js';
import type { PhaseData } from '../../phase/row.js';
import { isConstant } from '../../pipeline/constant-condition.js';
import {
  hasAnyHook,
  type BranchNode,
  type Condition,
  type FunctionNode,
  type GraphNode,
  type MapNode,
  type PayloadFunction,
  type SequenceNode,
  type StepContext,
} from '../../pipeline/graph.js';
import { foreignPhases, runForeign, type ForeignStep } from './foreign-step.js';
import { guardNode } from './guard-node.js';
import { processorOfStep } from './step-processors.js';
import { graphOfWorkflow } from './workflow-graphs.js';

/** What tells its own graph. */
export interface GraphSource {
  readonly id: string;
  graph(): SequenceNode;
}

type Entry = AnyWorkflow['stepGraph'][number];
type EntryOf<T extends Entry['type']> = Extract<Entry, { type: T }>;

export const isWorkflow = (value: unknown): value is AnyWorkflow =>
  typeof value === 'object' && value !== null && Array.isArray((value as { stepGraph?: unknown }).stepGraph);

/** Whether a value tells its own graph: a pipeline, committed or not. */
export const isGraphSource = (value: unknown): value is GraphSource =>
  typeof value === 'object' && value !== null && typeof (value as { graph?: unknown }).graph === 'function';

const isStep = (value: unknown): value is ForeignStep =>
  typeof value === 'object' && value !== null && typeof (value as { execute?: unknown }).execute === 'function';

/**
 * Whatever may stand in a pipeline as a node: a processor, a step, a pipeline, a workflow, or a function. Raises
 * `pipeline/invalid-step`, and `pipeline/unsupported-step` for workflows with entries that no guard pipeline has.
 */
export const toNode = (value: unknown, where: string): GraphNode => {
  if (typeof value === 'function') return functionNode(value as PayloadFunction, where);
  if (isGraphSource(value)) return value.graph();
  if (isWorkflow(value)) return fromWorkflow(value);
  if (isStep(value)) return stepNode(value);
  if (looksLikeProcessor(value)) return guardNode(value);
  throw invalidStep(value, where);
};

/** That a value cannot stand where it was put. */
export const invalidStep = (value: unknown, where: string): InterlockError =>
  new InterlockError('pipeline/invalid-step', { path: where, detail: `it is ${describe(value)}.` });

/** A processor, also with none but our own hooks, or without an id: refused later, with the reason. */
export const looksLikeProcessor = (value: unknown): value is Processor =>
  typeof value === 'object' && value !== null && ('id' in value || hasAnyHook(value as Processor));

const functionNode = (run: PayloadFunction, where: string): FunctionNode => ({
  kind: 'function',
  id: run.name || `function.${where.split('/').at(-1)}`,
  run,
});

const stepNode = (step: ForeignStep): GraphNode => {
  const processor = processorOfStep(step);
  return processor
    ? guardNode(processor)
    : { kind: 'function', id: step.id, run: (data, scope) => runForeign(step, data, scope), phases: foreignPhases };
};

/**
 * Reads a workflow, ours or made by hand with Mastra's builder, as a graph. Raises `pipeline/unsupported-step` for entries other
 * than steps, parallel blocks, branches, maps by a function, and nested workflows.
 */
export const fromWorkflow = (workflow: AnyWorkflow): SequenceNode => {
  const known = graphOfWorkflow(workflow);
  if (known) return known;
  return {
    kind: 'sequence',
    id: workflow.id,
    nodes: workflow.stepGraph.map((entry: Entry, index: number) => entryNode(entry, `${workflow.id}/${index}`)),
  };
};

const entryNode = (entry: Entry, where: string): GraphNode => {
  switch (entry.type) {
    case 'step':
      return toNode(entry.step, where);
    case 'mapping':
      return mapNode(entry, where);
    case 'parallel':
      return { kind: 'parallel', nodes: entry.steps.map((inner) => entryNode(inner, where)), overlap: 'widest-redaction' };
    case 'conditional':
      return branchNode(entry, where);
    case 'agent':
    case 'tool':
    case 'classifier':
    case 'loop':
    case 'foreach':
    case 'sleep':
    case 'sleepUntil':
      throw new InterlockError('pipeline/unsupported-step', { path: where, detail: `it is a "${entry.type}" entry.` });
    default:
      return entry satisfies never;
  }
};

const mapNode = ({ id, mapConfig }: EntryOf<'mapping'>, where: string): MapNode => {
  if (typeof mapConfig !== 'function')
    throw new InterlockError('pipeline/unsupported-step', { path: where, detail: 'a map must be a function here.' });
  const run = mapConfig as unknown as MapNode['run']; // it gets what Mastra's gives it, as far as there is any of it here
  return { kind: 'map', id, run: (context) => run(withResults(context, payloadIn(context.inputData))) };
};

const branchNode = ({ steps, conditions }: EntryOf<'conditional'>, where: string): BranchNode => ({
  kind: 'branch',
  arms: steps.map((inner, index) => {
    const when = conditions[index] as unknown as Condition; // see mapNode
    const asked: Condition = (context) => when(withResults(context, context.inputData));
    return { when: isConstant(when) ? when : asked, node: entryNode(inner, where) };
  }),
  overlap: 'widest-redaction',
});

/** Functions made for Mastra may ask for the results of steps: whichever they ask for, they get the payload as it is now. */
const withResults = <Input>(context: StepContext<Input>, payload: PhaseData): StepContext<Input> =>
  Object.assign({ getInitData: () => payload, getStepResult: () => payload }, context);

/** After a block, a map is given one payload under many names. */
const payloadIn = (inputData: unknown): PhaseData => {
  const data = inputData as PhaseData | Record<string, PhaseData>; // see keyedBy
  return 'phase' in data ? (data as PhaseData) : (Object.values(data)[0] as PhaseData);
};

const describe = (value: unknown): string =>
  typeof value === 'object' && value !== null ? `an object with ${Object.keys(value).join(', ') || 'no fields'}` : String(value);
