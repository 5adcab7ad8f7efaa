import type { Processor, ProcessorStepData } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import type { AnyWorkflow, Step, WorkflowConfig, WorkflowOptions } from '@mastra/core/workflows';
import { InterlockError } from '../../errors.js';
import { fieldsIn, isSame } from '../../phase/plain-data.js';
import { hasAnyHook } from '../../phase/table.js';
import type { PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import { compileGraph } from '../../pipeline/compile.js';
import {
  isConstant,
  childrenOf,
  isAlways,
  nameOf,
  processorsOf,
  scopeOfContext,
  type BranchNode,
  type Condition,
  type FunctionNode,
  type GraphNode,
  type MapNode,
  type PayloadFunction,
  type SequenceNode,
  type StepContext,
  type Plan,
} from '../../pipeline/graph.js';
import { executed, foreignContext, isPayloadSchema, runForeign, type ForeignStep } from './foreign-step.js';
import { guardNode } from './guard-node.js';

/** An object with its own graph. */
export interface GraphSource {
  readonly id: string;
  graph(): SequenceNode;
}

/** An entry of a pipeline. */
export type PipelineStep =
  | Processor
  | AnyWorkflow
  | GraphSource
  | PayloadFunction
  | { readonly id: string; execute(call: never): unknown };

/** The input of {@link compile}: a processor, pipeline or workflow, or an array of them. */
export type Compilable = Exclude<PipelineStep, PayloadFunction> | readonly PipelineStep[];

/**
 * Guards, or a function that returns them for a request. An asynchronous function returns an array: pipelines and workflows have
 * their own `then`, so a promise of one would never settle.
 */
export type DynamicGuards =
  | Compilable
  | ((call: { requestContext: RequestContext }) => Compilable | Promise<readonly PipelineStep[]>);

/** Compiles guards to a plan: for each phase a flat function over the processors that have its hook. */
export const compile = (source: Compilable, id?: string): Plan => compileGraph(toGraph(source, id));

/**
 * Converts a pipeline, a workflow, a processor or an array of them to one graph. An array or a processor becomes a sequence with `id`.
 * Raises `pipeline/invalid-step`.
 */
export const toGraph = (source: Compilable, id = 'processors'): SequenceNode => {
  if (Array.isArray(source)) return { kind: 'sequence', id, nodes: source.map((step, index) => toNode(step, `${id}/${index}`)) };
  const node = toNode(source, id);
  return node.kind === 'sequence' ? node : { kind: 'sequence', id, nodes: [node] };
};

/** True if a graph does not need Mastra: all its guards are portable, and no step was created with Mastra's builder. */
export const isPortable = (node: GraphNode): boolean => {
  if (node.kind === 'guard') return node.traits?.portable === true;
  if (node.kind === 'function') return node.phases !== foreignPhases;
  return childrenOf(node).every(isPortable);
};

/** The processors of our steps; Mastra's own steps do not expose theirs. */
const processors = new WeakMap<object, Processor>();

export const rememberProcessor = (step: object, processor: Processor): void => void processors.set(step, processor);

/** The graphs of our workflows. */
const graphs = new WeakMap<object, SequenceNode>();

export const rememberGraph = (workflow: object, graph: SequenceNode): void => {
  graphs.set(workflow, graph);
  Reflect.set(workflow, '__stateSignalProcessors', stateProcessorsOf(graph)); // Mastra's agent calls them after the workflow
};

/** The processors of a graph that compute state signals, for Mastra's agent. */
export const stateProcessorsOf = (graph: SequenceNode): Processor[] =>
  processorsOf(graph).flatMap(({ id, stateId, computeStateSignal }, at, all) =>
    computeStateSignal ? [{ id, stateId, computeStateSignal: computeStateSignal.bind(all[at]) }] : [],
  );

/** The graph of one of our workflows. */
export const graphOfWorkflow = (workflow: object): SequenceNode | undefined => graphs.get(workflow);

type Entry = AnyWorkflow['stepGraph'][number];
type EntryOf<T extends Entry['type']> = Extract<Entry, { type: T }>;

export const isWorkflow = (value: unknown): value is AnyWorkflow => Array.isArray(fieldsIn(value)['stepGraph']);

/** True for an object with its own graph: a pipeline, committed or not. */
export const isGraphSource = (value: unknown): value is GraphSource => typeof fieldsIn(value)['graph'] === 'function';

const isStep = (value: unknown): value is ForeignStep => typeof fieldsIn(value)['execute'] === 'function';

/**
 * Converts an entry of a pipeline to a node: a processor, a step, a pipeline, a workflow, or a function. Raises
 * `pipeline/invalid-step`, and `pipeline/unsupported-step` for workflows with entries that no guard pipeline has.
 */
export const toNode = (value: unknown, path: string): GraphNode => {
  if (typeof value === 'function') return functionNode(value as PayloadFunction, path);
  if (isGraphSource(value)) return value.graph();
  if (isWorkflow(value)) return fromWorkflow(value);
  if (isStep(value)) return stepNode(value, path);
  if (isProcessorLike(value)) return guardNode(value);
  throw invalidStep(value, path);
};

/** The error for a value that is no valid step at its position. */
export const invalidStep = (value: unknown, path: string): InterlockError =>
  new InterlockError('pipeline/invalid-step', { path, detail: `it is ${describe(value)}.` });

/** True for a processor, even if it has only our own hooks or lacks an id, which is rejected later with a reason. */
export const isProcessorLike = (value: unknown): value is Processor =>
  typeof value === 'object' && value !== null && ('id' in value || hasAnyHook(value));

const functionNode = (run: PayloadFunction, path: string): FunctionNode => ({
  kind: 'function',
  id: run.name || `function.${path.split('/').at(-1)}`,
  run,
});

const stepNode = (step: ForeignStep, path: string): GraphNode => {
  const processor = processors.get(step);
  if (processor) return guardNode(processor);
  rejectUnsupported('ofStep', step, path);
  return foreignNode(step);
};

const foreignNode = (step: ForeignStep): FunctionNode => ({
  kind: 'function',
  id: step.id,
  run: (data, scope) => runForeign(step, data, scope),
  phases: foreignPhases,
  needsFrame: true,
});

/**
 * Converts a workflow, ours or from Mastra's builder, to a graph. A feature that a graph cannot represent is rejected by name and
 * path.
 *
 * Raises `pipeline/unsupported-step` for entries other than steps, parallel blocks, branches, maps and nested workflows, for
 * steps that suspend, and for workflows of the evented engine or with `onStart`, `onFinish`, `onError`, `retryConfig`,
 * `requestContextSchema`, or a `stateSchema` with required or default values.
 */
export const fromWorkflow = (workflow: AnyWorkflow): SequenceNode => {
  const known = graphOfWorkflow(workflow);
  if (known) return known;
  rejectUnsupported('ofOptions', workflow.options, workflow.id);
  if (workflow.engineType === 'evented')
    throw unsupported(workflow.id, 'it is for the evented engine, as one with a `schedule` is; make it without.');
  const { requestContextSchema, retryConfig } = workflow;
  rejectUnsupported('ofWorkflow', { requestContextSchema, retryConfig: retryConfig.attempts }, workflow.id);
  if (!startsEmpty(workflow))
    throw unsupported(workflow.id, 'its `stateSchema` has required or default values; set them in its first step.');
  const { id } = workflow;
  const nodes = workflow.stepGraph.map((entry: Entry, index: number) => entryNode(entry, { workflow, path: `${id}/${index}` }));
  return { kind: 'sequence', id, nodes: [...inputCheck(workflow), ...nodes] };
};

const checksInputs = ({ options }: AnyWorkflow): boolean => options.validateInputs;

/** A first step that checks the input of a workflow, unless its schema is that of all payloads. */
const inputCheck = (workflow: AnyWorkflow): readonly GraphNode[] => {
  const { id, inputSchema } = workflow;
  if (!checksInputs(workflow) || !inputSchema || isPayloadSchema(inputSchema)) return [];
  return [foreignNode({ id: `${id}.input`, inputSchema, execute: async ({ inputData }) => inputData })];
};

/** Whether the state of a workflow is empty at its start. */
const startsEmpty = ({ stateSchema }: AnyWorkflow): boolean => {
  const state = stateSchema?.['~standard'].validate({});
  return !state || ('value' in state && isSame(state.value, {}));
};

/** The location of an entry. */
interface EntrySite {
  readonly workflow: AnyWorkflow;
  readonly path: string;
}

const entryNode = (entry: Entry, site: EntrySite): GraphNode => {
  switch (entry.type) {
    case 'step':
      rejectOptionsOf(entry.step, site.path);
      return checksInputs(site.workflow) ? toNode(entry.step, site.path) : uncheckedNode(entry.step, site.path);
    case 'mapping':
      return mapNode(entry, site);
    case 'parallel':
      return { kind: 'parallel', nodes: entry.steps.map((inner) => entryNode(inner, site)), overlap: 'widest-redaction' };
    case 'conditional':
      return branchNode(entry, site);
    case 'loop':
      throw unsupported(site.path, `it is a .${entry.loopType}().`);
    case 'agent':
    case 'tool':
    case 'classifier':
    case 'foreach':
    case 'sleep':
    case 'sleepUntil':
      throw unsupported(site.path, `it is a .${entry.type}().`);
    default:
      return entry satisfies never;
  }
};

/** Whether a workflow has a rule for storing its runs. Mastra's default stores all; the rule of a pipeline is its own. */
export const hasStorageRule = (workflow: AnyWorkflow): boolean =>
  !graphOfWorkflow(workflow) && !isAlways(workflow.options.shouldPersistSnapshot);

/** Rejects options of a nested workflow, whose runs are those of the outer one. */
const rejectOptionsOf = (step: unknown, path: string): void => {
  if (!isWorkflow(step)) return;
  const name = step.options.tracingPolicy ? 'tracingPolicy' : hasStorageRule(step) && 'shouldPersistSnapshot';
  if (name) throw unsupported(`${path}/${step.id}`, `it has \`${name}\`; give it to the outer workflow.`);
};

/** A step of a workflow whose `validateInputs` is false. */
const uncheckedNode = (step: unknown, path: string): GraphNode => {
  const node = toNode(step, path);
  return isStep(step) && !isWorkflow(step) && node.kind === 'function' ? foreignNode({ ...step, inputSchema: undefined }) : node;
};

/** A map by a function or by a table of fields; Mastra's own step supports both. */
const mapNode = ({ id }: EntryOf<'mapping'>, { workflow, path }: EntrySite): MapNode => {
  const step: unknown = workflow.steps[id];
  if (!isStep(step)) throw invalidStep(step, path);
  return { kind: 'map', id, run: (context) => executed(step, withForeign(id, context), scopeIn(context)), needsFrame: true };
};

const branchNode = ({ steps, conditions }: EntryOf<'conditional'>, site: EntrySite): BranchNode => ({
  kind: 'branch',
  arms: steps.map((inner, index) => {
    const when = conditions[index] as unknown as Condition; // it gets the arguments that Mastra passes
    const node = entryNode(inner, site);
    if (isConstant(when)) return { when, node };
    const condition: Condition = (context) => when(withForeign(nameOf(node, index), context) as unknown as StepContext);
    const { name } = when;
    return { when: Object.defineProperties(condition, { name: { value: name }, toString: { value: () => String(when) } }), node };
  }),
  overlap: 'widest-redaction',
  needsFrame: true,
});

/** The arguments of a function for Mastra's engine. */
const withForeign = <Input>(id: string, context: StepContext<Input>): Record<string, unknown> => {
  const { inputData } = context;
  const data = inputData as PhaseData | Record<string, PhaseData>; // see keyedBy
  const payload = 'phase' in data ? (data as PhaseData) : (Object.values(data)[0] as PhaseData);
  return { ...foreignContext(id, payload, scopeIn(context)), bail: () => undefined, inputData };
};

const scopeIn = (context: StepContext<unknown>): RunScope => context[scopeOfContext] as RunScope; // each was created by `stepContext`

const describe = (value: unknown): string =>
  typeof value === 'object' && value !== null ? `an object with ${Object.keys(value).join(', ') || 'no fields'}` : String(value);

/** Fields of Mastra's that a pipeline would silently ignore. `supported-fields.test-d.ts` lists the others: a new one needs a decision. */
const unsupportedFields = {
  ofStep: ['resumeSchema', 'suspendSchema', 'scorers'],
  ofWorkflow: ['requestContextSchema', 'retryConfig', 'schedule'],
  ofOptions: ['onStart', 'onFinish', 'onError'],
} as const satisfies {
  readonly ofStep: readonly (keyof Step)[];
  readonly ofWorkflow: readonly (keyof WorkflowConfig<string, unknown, unknown, unknown, Step[]>)[];
  readonly ofOptions: readonly (keyof WorkflowOptions)[];
};

/** The error for a part of a workflow that a pipeline does not support. */
const unsupported = (path: string, detail: string): InterlockError =>
  new InterlockError('pipeline/unsupported-step', { path, detail });

/** Raises `pipeline/unsupported-step` for a value with one of these fields. */
const rejectUnsupported = (of: keyof typeof unsupportedFields, value: object, path: string): void => {
  const rejected = unsupportedFields[of].find((name) => Reflect.get(value, name));
  if (rejected) throw unsupported(path, `it has \`${rejected}\`.`);
};

/** The phases in which Mastra's agent runs workflows, those of its step schema: the compiler rejects an extra or a missing one. */
const phasesOfSteps: Record<ProcessorStepData['phase'], true> = {
  input: true,
  inputStep: true,
  outputStream: true,
  outputResult: true,
  outputStep: true,
  toolResult: true,
};

const foreignPhases: ReadonlySet<string> = new Set(Object.keys(phasesOfSteps));
