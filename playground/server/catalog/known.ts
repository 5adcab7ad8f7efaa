import type { Agent } from '@mastra/core/agent';
import type { Mastra } from '@mastra/core/mastra';
import type { AnyWorkflow } from '@mastra/core/workflows';
import type { ModelMessage } from 'ai';
import type { InterlockAgent } from '../../../src/index.js';
import { guardsOfLoop, type shownRun, type ShownRun } from '../../../src/ai-sdk/guarded-loop.js';
import { compileLane, laneId, type Lane } from '../../../src/mastra/workflow/guards.js';
import { pipelineOf } from '../../../src/mastra/workflow/guards-for.js';
import { toWorkflow } from '../../../src/mastra/workflow/to-workflow.js';
import { toGraph, type PipelineStep } from '../../../src/mastra/graph/to-graph.js';
import { childrenOf, type GraphNode, type SequenceNode } from '../../../src/pipeline/graph.js';

/** A pipeline that the studio shows and tries. */
export interface KnownPipeline {
  readonly id: string;
  readonly graph: SequenceNode;
  /** The workflow registered under its id; undefined if there is none. */
  readonly workflow: AnyWorkflow | undefined;
  /** The arrays of the pipeline; empty if no agent of Mastra uses it. */
  readonly lanes: readonly Lane[];
  readonly usedBy: readonly string[];
}

/** An agent that the studio talks to. */
export interface KnownAgent {
  readonly id: string;
  readonly name: string;
  readonly kind: 'interlock' | 'ai-sdk' | 'mastra';
  /** Of the kind `ai-sdk`: Mastra's agent for the loop. */
  readonly agent: Agent;
  /** The loop of the AI SDK; for the kind `ai-sdk`. */
  readonly loop?: GuardedLoop | undefined;
  /** The guards of each array, without arrays whose guards cannot be read without a request. */
  readonly lanes: ReadonlyMap<Lane, SequenceNode>;
}

/** An agent of `guardedToolLoop`. */
export interface GuardedLoop {
  readonly [guardsOfLoop]: SequenceNode;
  stream(call: {
    readonly messages: readonly ModelMessage[];
    readonly abortSignal: AbortSignal;
    readonly [shownRun]: ShownRun;
  }): Promise<{ readonly fullStream: AsyncIterable<unknown>; readonly responseMessages: PromiseLike<readonly ModelMessage[]> }>;
}

/** The contents of a Mastra instance for the studio. */
export interface Known {
  readonly agents: readonly KnownAgent[];
  readonly pipelines: readonly KnownPipeline[];
}

/** Reads the agents and pipelines of a Mastra instance. Later additions appear at the next reading. */
export const readKnown = async (mastra: Mastra): Promise<Known> => {
  const found = await withSubAgents(Object.values(mastra.listAgents() as Record<string, Agent>));
  const agents = await Promise.all(found.map(readAgent));
  return { agents, pipelines: pipelinesOf(agents, Object.values(mastra.listWorkflows() as Record<string, AnyWorkflow>)) };
};

/** The agents and their sub-agents, at any depth, each once; those that depend on a request are not known. */
const withSubAgents = async (agents: readonly Agent[]): Promise<readonly Agent[]> => {
  const found = new Map(agents.map((agent) => [agent.id, agent]));
  for (const agent of found.values()) {
    const inner = await Promise.resolve(agent.listAgents()).catch(() => ({}));
    for (const one of Object.values(inner) as Agent[]) if (!found.has(one.id) && 'stream' in one) found.set(one.id, one); // added ones are visited as well
  }
  return [...found.values()];
};

const readAgent = async (agent: Agent): Promise<KnownAgent> => {
  const { id, name } = agent;
  const loop = await loopOf(agent);
  const given: [Lane, () => Promise<readonly unknown[]>][] = [
    ['input', () => agent.listConfiguredInputProcessors()],
    ['output', () => agent.listConfiguredOutputProcessors()],
    ['error', () => agent.listErrorProcessors()],
  ];
  const lanes = new Map<Lane, SequenceNode>();
  for (const [lane, list] of given) {
    const graph = loop ? loop[guardsOfLoop] : await readLane(list, laneId(id, lane));
    if (graph) lanes.set(lane, graph);
  }
  return { id, name, kind: loop ? 'ai-sdk' : isInterlock(agent) ? 'interlock' : 'mastra', agent, loop, lanes };
};

/** The loop that Mastra's agent was made of. */
const loopOf = async (agent: Agent): Promise<GuardedLoop | undefined> => {
  const processors: readonly object[] = await agent.listConfiguredInputProcessors().catch(() => []);
  return processors.map((one) => ('agent' in one ? one.agent : undefined)).find(isGuardedLoop);
};

const isGuardedLoop = (value: unknown): value is GuardedLoop =>
  typeof value === 'object' && value !== null && guardsOfLoop in value;

/** Checks the agent's methods, which also works across two copies of the package. */
export const isInterlock = (agent: Agent): agent is InterlockAgent => 'findings' in agent && 'listSuspendedRuns' in agent;

/** The suspended runs, including those that an engine stores. */
export const suspendedRuns = async (mastra: Mastra): Promise<ReadonlySet<string>> => {
  const agents = Object.values(mastra.listAgents() as Record<string, Agent>).filter(isInterlock);
  const lists = await Promise.all(agents.map((agent) => agent.listSuspendedRuns()));
  return new Set(lists.flatMap(({ runs }) => runs.map(({ runId }) => runId)));
};

/** Guards that depend on a request, or that only Mastra's engine can run, have no graph. */
const readLane = async (list: () => Promise<readonly unknown[]>, id: string): Promise<SequenceNode | undefined> => {
  try {
    const steps = ((await list()) as readonly PipelineStep[]).map(opened); // Mastra's arrays are among ours
    return compileLane(steps, id)?.graph;
  } catch {
    return undefined;
  }
};

/** Mastra's own agent has one processor for a whole pipeline. */
const opened = (step: PipelineStep): PipelineStep => {
  const graph = pipelineOf(step);
  return graph ? toWorkflow(graph) : step;
};

const pipelinesOf = (agents: readonly KnownAgent[], workflows: readonly AnyWorkflow[]): KnownPipeline[] => {
  const ofMastra = new Set(agents.flatMap(({ id, loop }) => (loop ? laneId(id, 'input') : []))); // Mastra's processor for a loop
  const graphs = new Map(agents.flatMap(({ lanes }) => [...lanes.values()]).map((graph) => [graph.id, graph]));
  for (const workflow of workflows) {
    const graph =
      workflow.type === 'processor' && !graphs.has(workflow.id) && !ofMastra.has(workflow.id)
        ? readWorkflow(workflow)
        : undefined;
    if (graph) graphs.set(graph.id, graph);
  }
  return [...graphs.values()].map((graph) => {
    const uses = agents.flatMap(({ id, loop, lanes }) =>
      [...lanes].filter(([, root]) => holds(root, graph.id)).map(([lane]) => ({ id, lane: loop ? undefined : lane })),
    );
    const lanes = [...new Set(uses.flatMap(({ lane }) => lane ?? []))];
    const workflow = workflows.find(({ id }) => id === graph.id);
    return { id: graph.id, graph, workflow, lanes, usedBy: [...new Set(uses.map(({ id }) => id))] };
  });
};

const readWorkflow = (workflow: AnyWorkflow): SequenceNode | undefined => {
  try {
    return toGraph(workflow);
  } catch {
    return undefined; // a workflow with entries that no guard pipeline has
  }
};

/** Whether a graph is a pipeline, or contains it. */
const holds = (node: GraphNode, id: string): boolean =>
  (node.kind === 'sequence' && node.id === id) || childrenOf(node).some((inner) => holds(inner, id));
