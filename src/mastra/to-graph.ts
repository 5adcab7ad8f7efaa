import type { Processor } from '@mastra/core/processors';
import { isProcessor, type AnyWorkflow } from '@mastra/core/workflows';
import { InterlockError } from '../errors.js';
import type { PhaseData } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import {
  hasAnyHook,
  type Condition,
  type FunctionNode,
  type GraphNode,
  type MapNode,
  type PayloadFunction,
  type SequenceNode,
} from '../pipeline/graph.js';
import { processorOfStep } from './step.js';
import { graphOfWorkflow } from './to-workflow.js';

/** A step of Mastra's, of which we know only that it can be run. */
interface ForeignStep {
  id: string;
  execute(call: object): Promise<unknown>;
}

type Entry = AnyWorkflow['stepGraph'][number];

export const isWorkflow = (value: unknown): value is AnyWorkflow =>
  typeof value === 'object' && value !== null && Array.isArray((value as { stepGraph?: unknown }).stepGraph);

const isPipeline = (value: unknown): value is { graph(): SequenceNode } =>
  typeof value === 'object' && value !== null && typeof (value as { graph?: unknown }).graph === 'function';

const isStep = (value: unknown): value is ForeignStep =>
  typeof value === 'object' && value !== null && typeof (value as { execute?: unknown }).execute === 'function';

/** Whatever may stand in a pipeline as a node: a processor, a step, a pipeline, a workflow, or a function. */
export const toNode = (value: unknown, where: string): GraphNode => {
  if (typeof value === 'function') return functionNode(value as PayloadFunction, where);
  if (isPipeline(value)) return value.graph();
  if (isWorkflow(value)) return fromWorkflow(value);
  if (isStep(value)) return stepNode(value);
  if (isProcessor(value) || looksLikeProcessor(value)) return { kind: 'guard', id: value.id, processor: value };
  throw new InterlockError('pipeline/invalid-step', { path: where, detail: `it is ${describe(value)}.` });
};

/** Also a processor with none but our own hooks, or without an id: refused later, with the reason. */
const looksLikeProcessor = (value: unknown): value is Processor =>
  typeof value === 'object' && value !== null && ('id' in value || hasAnyHook(value as Processor));

const functionNode = (run: PayloadFunction, where: string): FunctionNode => ({
  kind: 'function',
  id: run.name || `function.${where.split('/').at(-1)}`,
  run,
});

const stepNode = (step: ForeignStep): GraphNode => {
  const processor = processorOfStep(step);
  return processor
    ? { kind: 'guard', id: processor.id, processor }
    : { kind: 'function', id: step.id, run: (data, scope) => runForeign(step, data, scope) };
};

/** Runs a step of Mastra's own through its own `execute`, with everything that Mastra's engine would hand it. */
const runForeign = async (step: ForeignStep, data: PhaseData, scope: RunScope): Promise<unknown> => {
  const slot = scope.slot(step.id);
  const inputData = {
    ...data,
    state: slot.state,
    agent: scope.agent,
    abortSignal: scope.abortSignal,
    ...('result' in data && { toolResultValue: data.result }),
  };
  const returned = (await step.execute({
    inputData,
    requestContext: scope.requestContext,
    tracingContext: scope.tracingContext,
    outputWriter: scope.writer && ((chunk: never, options: never) => scope.writer?.custom(chunk, options)),
    abortSignal: scope.abortSignal,
  })) as Record<string, unknown> | undefined;
  return returned && changed(returned, inputData) ? { ...data, ...returned } : undefined;
};

const changed = (returned: Record<string, unknown>, given: Record<string, unknown>): boolean =>
  Object.entries(returned).some(([name, value]) => value !== undefined && value !== given[name]);

/** Reads a workflow, ours or made by hand with Mastra's builder, as a graph. */
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
      return mapNode(entry.id, entry.mapConfig, where);
    case 'parallel':
      return { kind: 'parallel', nodes: entry.steps.map((inner) => entryNode(inner, where)), overlap: 'widest-redaction' };
    case 'conditional':
      return {
        kind: 'branch',
        arms: entry.steps.map((inner, index) => ({
          when: entry.conditions[index] as unknown as Condition, // gets what it reads: the payload and the request's context
          node: entryNode(inner, where),
        })),
        overlap: 'widest-redaction',
      };
    default:
      throw new InterlockError('pipeline/unsupported-step', { path: where, detail: `it is a "${entry.type}" entry.` });
  }
};

const mapNode = (id: string, mapConfig: unknown, where: string): MapNode => {
  if (typeof mapConfig !== 'function')
    throw new InterlockError('pipeline/unsupported-step', { path: where, detail: 'a map must be a function here.' });
  return { kind: 'map', id, run: mapConfig as MapNode['run'] };
};

const describe = (value: unknown): string =>
  typeof value === 'object' && value !== null ? `an object with ${Object.keys(value).join(', ') || 'no fields'}` : String(value);
