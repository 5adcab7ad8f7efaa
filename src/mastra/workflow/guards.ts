import type { Mastra } from '@mastra/core/mastra';
import { RequestContext } from '@mastra/core/request-context';
import type { AnyWorkflow } from '@mastra/core/workflows';
import { compileGraph } from '../../pipeline/compile.js';
import { withRecordedEdits } from '../../pipeline/recorded-edits.js';
import { processorsOf, type SequenceNode, type FunctionNode, type GraphNode, type Plan } from '../../pipeline/graph.js';
import { locationOf, type GraphLocation } from '../../pipeline/verify/check.js';
import { checkGraph, throwDefects } from '../../pipeline/verify/checks.js';
import type { PhaseRow, PhaseData } from '../../phase/row.js';
import {
  toGraph,
  isGraphSource,
  isWorkflow,
  fromWorkflow,
  hasStorageRule,
  graphOfWorkflow,
  rememberGraph,
  type Compilable,
  type DynamicGuards,
  type PipelineStep,
} from '../graph/to-graph.js';
import type { SecretsProcessor } from '../../guard/secrets.js';
import { toWorkflow, build, options } from './to-workflow.js';
import { noopLogger } from '@mastra/core/logger';
import { ProcessorRunner, ProcessorState, type Processor } from '@mastra/core/processors';
import type { RunScope } from '../../phase/scope.js';
import { phases } from '../../phase/table.js';
import { computed, pick } from '../../phase/plain-data.js';

export type Lane = PhaseRow['lane'];

/** The guards of an agent, in its arrays. */
export interface AgentGuards {
  readonly inputProcessors?: DynamicGuards | undefined;
  readonly outputProcessors?: DynamicGuards | undefined;
  readonly errorProcessors?: DynamicGuards | undefined;
}

/** The guards of a request by array. Raises the errors that `verify` finds. */
export const resolveLanes = async (
  guards: AgentGuards,
  requestContext: RequestContext,
  agentId: string,
): Promise<Readonly<Record<Lane, readonly PipelineStep[]>>> => {
  const resolved = async (lane: Lane): Promise<readonly PipelineStep[]> => {
    const steps = await resolveGuards(guards[`${lane}Processors`], requestContext);
    checkLane(steps, lane, agentId);
    return steps;
  };
  const [input, output, error] = await Promise.all([resolved('input'), resolved('output'), resolved('error')]);
  return { input, output, error };
};

/** Guards as an array in Mastra's forms: uncommitted pipelines are committed, and workflows from Mastra's builder are adopted. */
export const toArray = (guards: Compilable | undefined): readonly PipelineStep[] => {
  if (!guards) return [];
  if (!isMany(guards)) return [committed(guards)];
  for (const step of guards) if (isWorkflow(step)) adopt(step);
  return guards.some(isGraphSource) ? guards.map(committed) : guards; // the same array, which is the key of its plan
};

const isMany = (guards: Compilable): guards is readonly PipelineStep[] => Array.isArray(guards);

const committed = (step: PipelineStep): PipelineStep => {
  if (isWorkflow(step)) return adopt(step);
  return isGraphSource(step) ? toWorkflow(checkGraph(step.graph())) : step;
};

/** The guards of a request. Raises `agent/invalid-option` if a function returns none of the forms. */
export const resolveGuards = async (
  guards: DynamicGuards | undefined,
  requestContext: RequestContext,
): Promise<readonly PipelineStep[]> => {
  if (typeof guards !== 'function') return toArray(guards);
  const resolved = guards({ requestContext });
  return toArray(resolved instanceof Promise ? await resolved : resolved);
};

/**
 * The guards of another model that reads what an agent's guards accepted: those that hide values from models, and the output guards,
 * which judge its answers.
 */
export const readerGuards = ({ inputProcessors, outputProcessors }: AgentGuards): AgentGuards => ({
  inputProcessors: async ({ requestContext }) => {
    const steps = await resolveGuards(inputProcessors, requestContext);
    return processorsOf(laneGraph(steps, 'hiding')).filter(({ conceal }: SecretsProcessor) => conceal);
  },
  outputProcessors,
});

/** The graph of an array. A single pipeline keeps its own id and shape. */
const laneGraph = (steps: readonly PipelineStep[], id: string): SequenceNode =>
  isAlone(steps) ? toGraph(steps[0]) : toGraph(steps, id);

/** True if an array is one pipeline. */
const isAlone = (steps: readonly PipelineStep[]): steps is readonly [AnyWorkflow] => steps.length === 1 && isWorkflow(steps[0]);

/** An array as a location for `verify`. */
export const placeOfLane = (steps: readonly PipelineStep[], lane: Lane, agentId: string): GraphLocation =>
  locationOf(laneGraph(steps, laneId(agentId, lane)), { lane, isArray: !isAlone(steps) });

type Steps = readonly PipelineStep[];

/** Something known about an array of guards, by name. An application may share the array, and change it. */
const createKnown = <T>() => {
  const known = new WeakMap<Steps, Map<string, { readonly steps: Steps; readonly made: T }>>();
  return (steps: Steps, name: string, make: () => T): T => {
    const byName = computed(known, steps, () => new Map<string, { steps: Steps; made: T }>());
    const before = byName.get(name);
    if (before?.steps.length === steps.length && steps.every((step, at) => step === before.steps[at])) return before.made;
    const made = make();
    byName.set(name, { steps: [...steps], made });
    return made;
  };
};

const checked = createKnown<true>();

/** Rejects guards that cannot work in an array, once for each array. Raises the errors that `verify` finds. */
export const checkLane = (steps: readonly PipelineStep[], lane: Lane, agentId: string): void => {
  if (steps.length === 0) return;
  checked(steps, lane, () => {
    throwDefects({ id: agentId, roots: [placeOfLane(steps, lane, agentId)] });
    return true;
  });
};

/** Compiled plans: an agent's own guards are the same array in every call. */
const plans = createKnown<Plan>();

/**
 * Compiles an array, once for each array. Undefined without guards. With `recordsEdits` its guards report their edits. Raises
 * `pipeline/…` for guards that cannot work.
 */
export const compileLane = (steps: readonly PipelineStep[], id: string, recordsEdits = false): Plan | undefined => {
  if (steps.length === 0) return undefined;
  return plans(steps, recordsEdits ? `${id} with edits` : id, () => compileRecording(laneGraph(steps, id), recordsEdits));
};

/** Compiles a graph. If requested, its guards report their edits. Each processor gets its position. */
export const compileRecording = (graph: SequenceNode, recordsEdits = false): Plan => {
  for (const [index, processor] of processorsOf(graph).entries()) Reflect.set(processor, 'processorIndex', index); // no effect if frozen
  const complete = withStateSignals(graph);
  return compileGraph(recordsEdits ? withRecordedEdits(complete) : complete);
};

/** The id of an agent's array, as in Mastra. */
export const laneId = (agentId: string, lane: Lane): string => `${agentId}-${lane}-processor`;

/** Passes a Mastra instance, with its models, storage and logger, to processors. */
export const registerProcessors = (mastra: Mastra, processors: readonly object[]): void => {
  for (const processor of processors) {
    const register: unknown = Reflect.get(processor, '__registerMastra'); // Mastra's own method, which its processor interface does not declare
    if (typeof register === 'function') register.call(processor, mastra);
  }
};

/**
 * Gives a workflow from Mastra's builder the steps of a pipeline with the same graph, so that it runs exactly the guards of an
 * agent. Raises the errors of {@link fromWorkflow}.
 */
export const adopt = (workflow: AnyWorkflow): AnyWorkflow => {
  if (graphOfWorkflow(workflow)) return workflow;
  const graph = fromWorkflow(workflow);
  const { stepGraph, serializedStepGraph: serializedStepFlow, steps, inputSchema, outputSchema } = build(graph, graph.id);
  workflow.setStepFlow(stepGraph);
  Object.assign(workflow, { serializedStepFlow, steps, inputSchema, outputSchema, type: 'processor' });
  Object.assign(workflow.options, optionsOf(workflow));
  workflow.commit();
  rememberGraph(workflow, graph);
  return workflow;
};

/**
 * The options of an adopted workflow: its own, but its first step checks its input, and without a rule for storing runs none is stored,
 * because payloads contain text that guards redact.
 */
const optionsOf = (workflow: AnyWorkflow): Partial<AnyWorkflow['options']> =>
  hasStorageRule(workflow) ? { validateInputs: options.validateInputs } : options;

/**
 * The graph of an agent whose processors compute their state signals, one after another, each after the entry that contains it and the
 * maps of that entry: the guards after it judge the signal.
 */
const withStateSignals = (graph: SequenceNode): SequenceNode => {
  const nodes: GraphNode[] = [];
  let pending: readonly GraphNode[] = [];
  for (const node of graph.nodes) {
    if (node.kind !== 'map') {
      nodes.push(...pending);
      pending = processorsOf(node).filter(hasState).map(stateNode);
    }
    nodes.push(node);
  }
  return { ...graph, nodes: [...nodes, ...pending] };
};

const hasState = ({ computeStateSignal }: Processor): boolean => computeStateSignal !== undefined;

const { phase } = phases.inputStep;

const stateNode = (processor: Processor): FunctionNode => ({
  kind: 'function',
  id: `${processor.id}.state`,
  phases: new Set([phase]),
  run: (data, scope) => sendState(processor, data as PhaseData<typeof phase>, scope), // its only phase
});

/** Mastra's runner, which calls only `computeStateSignal`, and keeps the state in the thread. */
const sendState = async (processor: Processor, data: PhaseData<typeof phase>, scope: RunScope): Promise<void> => {
  const { id, name, stateId } = processor;
  const { conversation } = scope;
  const requestContext = new RequestContext(scope.requestContext?.entries());
  if (conversation) requestContext.set('MastraMemory', conversation.context); // a sub-agent may have set another one
  const state = Object.assign(new ProcessorState(), { customState: scope.slot(id).state });
  const sender = { id, name, stateId, computeStateSignal: processor.computeStateSignal?.bind(processor) };
  const runner = new ProcessorRunner({
    inputProcessors: [sender as Processor],
    logger: noopLogger,
    agentName: id,
    processorStates: new Map([[id, state]]),
  });
  const { steps = [], retryCount = scope.retryCount() } = data;
  await runner.runProcessInputStep({
    ...pick(data, 'messageList', 'stepNumber', 'rotateResponseMessageId'),
    ...pick(scope, 'agent', 'writer', 'abortSignal', 'tracingContext'),
    ...(conversation && pick(conversation, 'memory', 'threadId', 'resourceId')),
    steps,
    retryCount,
    requestContext,
  } as unknown as Parameters<ProcessorRunner['runProcessInputStep']>[0]); // without a model, which it only passes on
};
