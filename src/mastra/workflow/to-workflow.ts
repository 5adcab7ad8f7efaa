import { createWorkflow as createMastraWorkflow, type AnyWorkflow } from '@mastra/core/workflows';
import { ProcessorStepInputSchema, ProcessorStepOutputSchema } from '../../../schemas/index.js';
import { rejectPromises } from '../../pipeline/builder.js';
import { blockOf, branchesOf, mapOf } from '../../pipeline/graph-steps.js';
import {
  hasHookFor,
  childrenOf,
  nameOf,
  type BranchNode,
  type FunctionNode,
  type GraphNode,
  type MapNode,
  type ParallelNode,
  type SequenceNode,
} from '../../pipeline/graph.js';
import { frozenCopy, needsFrame } from '../../pipeline/frame.js';
import { settleBlock } from '../../pipeline/parallel.js';
import { strictest } from '../../verdict.js';
import type { Phase, PhaseData } from '../../phase/row.js';
import { phaseRow } from '../../phase/table.js';
import { asBranch, chooser, endsIn, stopIn, textOfCondition } from './branch-step.js';
import { createBlockCoordinator } from './block-coordinator.js';
import { payloadOf } from '../graph/thrown-stops.js';
import { host, scopeOfStep, type Executable, type StepCall } from './scope.js';
import { nodeStep, openPayload } from './step.js';
import { rememberGraph } from '../graph/to-graph.js';
import { computed, fieldsIn } from '../../phase/plain-data.js';

/** Mastra's builder, in which each call returns the next; its types follow schemas, which are all equal here. */
interface WorkflowBuilder {
  readonly id: string;
  then(step: unknown, ...rest: unknown[]): WorkflowBuilder;
  parallel(steps: unknown[], ...rest: unknown[]): WorkflowBuilder;
  branch(arms: [unknown, unknown][], ...rest: unknown[]): WorkflowBuilder;
  map(run: (call: MapCall) => unknown, options: { id: string }): WorkflowBuilder;
  commit(): AnyWorkflow & Executable;
}

/** A workflow under construction. */
export const newWorkflow = (config: object): WorkflowBuilder =>
  createMastraWorkflow(config as never) as unknown as WorkflowBuilder; // see WorkflowBuilder

interface MapCall extends StepCall {
  getStepResult: (step: string | { readonly id: string }) => PhaseData;
}

/**
 * A graph as a real Mastra workflow of type `processor`. Branches of a block work on their own snapshots and are merged by a step
 * after the block, on any engine. Runs are not persisted: payloads contain text that guards redact.
 */
export const toWorkflow = (graph: SequenceNode): AnyWorkflow => {
  const workflow = rejectPromises(build(graph, graph.id));
  rememberGraph(workflow, graph);
  return workflow;
};

/**
 * Options of a guard workflow: its first step checks payloads, and nothing is stored, because payloads contain text that guards
 * redact.
 */
export const options = { validateInputs: false, shouldPersistSnapshot: () => false };

/** A workflow under construction. */
interface BuildContext {
  builder: WorkflowBuilder;
  /** The step whose result is the next payload. Empty before the first step; a block is never the first, see `needsOpening`. */
  before: string;
  readonly graph: SequenceNode;
  /** The path to the sequence. */
  readonly path: string;
  readonly unique: (id: string) => string;
  /** The step with a block's result, by the id of each branch. */
  readonly results: Map<string, string>;
  /** True if later functions may read a step's result. */
  readonly keeps: boolean;
}

/**
 * @param path the path to the node
 * @param id the step's id among its siblings
 */
export const build = (graph: SequenceNode, path: string, id = graph.id) => {
  const builder = newWorkflow({
    id,
    inputSchema: ProcessorStepInputSchema,
    outputSchema: ProcessorStepOutputSchema,
    type: 'processor',
    options,
  });
  const site: BuildContext = {
    builder,
    before: '',
    graph,
    path,
    unique: uniqueIds(),
    results: new Map(),
    keeps: needsPayloads(graph),
  };
  if (needsOpening(graph.nodes[0])) addMap(site, `${id}.open`, ({ inputData }) => openPayload(inputData));
  for (const [index, node] of graph.nodes.entries()) append(site, node, index);
  return site.builder.commit();
};

const needsPayloads = (node: GraphNode): boolean =>
  (node.kind === 'sequence' && needsFrame(node)) || childrenOf(node).some(needsPayloads);

/** True if a separate first step must open the payload. Guards and functions open it themselves. */
const needsOpening = (first: GraphNode | undefined): boolean =>
  first?.kind === 'parallel' || first?.kind === 'branch' || first?.kind === 'map';

const addMap = (site: BuildContext, id: string, run: (call: MapCall) => unknown): void => {
  site.before = site.unique(id);
  site.builder = site.builder.map(run, { id: site.before });
};

const append = (site: BuildContext, node: GraphNode, index: number): void => {
  const path = `${site.path}/${nameOf(node, index)}`;
  switch (node.kind) {
    case 'guard':
    case 'function':
    case 'sequence': {
      const step = toStep(site, node, path);
      site.builder = site.builder.then(step);
      site.before = step.id;
      return;
    }
    case 'map':
      return appendMap(site, node, index);
    case 'parallel':
      return appendParallel(site, node, path);
    case 'branch':
      return appendBranch(site, node, path);
    default:
      node satisfies never;
  }
};

/** A node as one step. */
const toStep = (site: BuildContext, node: GraphNode, path: string): Executable => {
  switch (node.kind) {
    case 'sequence':
      return build(node, path, site.unique(node.id));
    case 'guard':
    case 'function': {
      const id = site.unique(node.kind === 'guard' ? `processor:${node.id}` : node.id);
      return nodeStep(node, { id, path: path.slice(0, path.lastIndexOf('/')), results: site.results, keeps: site.keeps });
    }
    case 'map':
    case 'parallel':
    case 'branch': {
      const graph: SequenceNode = { kind: 'sequence', id: node.kind, nodes: [node] };
      return build(graph, path, site.unique(node.kind));
    }
    default:
      return node satisfies never;
  }
};

/** Adds a map with the plan's semantics: every key that it reads contains the merged payload. */
const appendMap = (site: BuildContext, node: MapNode, index: number): void => {
  const map = mapOf(node, site.graph.nodes[index - 1]);
  const asFunction: FunctionNode = {
    kind: 'function',
    id: node.id,
    run: (data, scope) => (hasHookFor(site.graph, phaseRow(data.phase)) ? map(data, scope) : undefined),
  };
  const { execute } = nodeStep(asFunction, { path: site.path, results: site.results, keeps: site.keeps });
  addMap(site, node.id, execute);
};

const appendParallel = (site: BuildContext, node: ParallelNode, path: string): void => {
  const block = createBlock(site, node, path);
  const participants = async ({ inputData }: StepCall): Promise<string[]> => {
    const row = phaseRow(inputData.phase);
    return node.nodes.flatMap((inner, index) => (hasHookFor(inner, row) && steps[index]?.id) || []);
  };
  const steps = node.nodes.map((inner, index) => branchStep(site, inner, { block, index, participants }));
  site.builder = site.builder.parallel(steps);
  appendMerge(site, block);
};

/** Adds the cases. Each condition is evaluated once, and a drawing of the workflow shows its source text. */
const appendBranch = (site: BuildContext, node: BranchNode, path: string): void => {
  const choose = chooser(site.results, node, path);
  const block: EngineBlock = { ...createBlock(site, node, path), choose };
  const participants = async (call: StepCall): Promise<string[]> => {
    const choice = await choose(call);
    return choice.failure ? [] : choice.matching.flatMap(({ branch }) => steps[branch?.index ?? -1]?.id ?? []);
  };
  const steps = node.arms.map((arm, index) => branchStep(site, arm.node, { block, index, participants }));
  site.builder = site.builder.branch(
    steps.map(({ id }, index) => {
      const isChosen = async (call: StepCall) => (await participants(call)).includes(id);
      return [Object.assign(isChosen, { toString: () => textOfCondition(node.arms[index]?.when) }), steps[index]];
    }),
  );
  appendMerge(site, block);
};

/** A block of the graph during its conversion to a workflow. `choose`: the cases that run for a payload; undefined for parallel blocks. */
type EngineBlock = ReturnType<typeof createBlock> & { readonly choose?: ReturnType<typeof chooser> };

const createBlock = (site: BuildContext, node: ParallelNode | BranchNode, path: string) => ({
  node,
  path,
  /** The step whose result is the block's payload. */
  before: site.before,
  coordinator: createBlockCoordinator(depthOf(node)),
  /** The index of each branch in the block, by step id. */
  places: new Map<string, number>(),
});

/** The number of blocks inside each other. */
const depthOf = (node: GraphNode): number =>
  Math.max(0, ...childrenOf(node).map(depthOf)) + Number(node.kind === 'parallel' || node.kind === 'branch');

interface BranchPlace extends Pick<Parameters<typeof asBranch>[1], 'participants'> {
  readonly block: EngineBlock;
  readonly index: number;
}

const branchStep = (site: BuildContext, node: GraphNode, { block, index, participants }: BranchPlace): Executable => {
  const path = `${block.path}/${nameOf(node, index)}`;
  const step = toStep(site, node, path);
  block.places.set(step.id, index);
  return asBranch(step, { path, coordinator: block.coordinator, participants });
};

/** Adds the merge after a block: the results of its branches, merged against their common payload. */
const appendMerge = (site: BuildContext, { node, path, before, coordinator, places, choose }: EngineBlock): void => {
  const known = new Map<Phase, ReturnType<typeof branchesOf>>();
  const settle = async (call: MapCall): Promise<PhaseData> => {
    coordinator.close(call.runId ?? '');
    const data = call.getStepResult(before);
    const choice = await choose?.({ ...call, inputData: data });
    if (choice?.failure) throw choice.failure; // Mastra's engine treats a throwing condition as false
    const row = phaseRow(data.phase);
    const results = new Map(Object.entries(fieldsIn(call.inputData) as Results).map(([id, result]) => [places.get(id), result]));
    const stop = strictest([...results.values()].map((result) => result && stopIn(result)));
    if (stop) return payloadOf(stop, data, host);
    const all = computed(known, row.phase, () => branchesOf(row, node, path));
    const branches = all.filter(({ index }) => results.get(index)); // a case that was not chosen has no result
    const made = branches.map(({ index }) => results.get(index) as PhaseData); // all of these have a result
    const scope = scopeOfStep({ ...call, inputData: data });
    const settling = { data, branches, results: made, block: blockOf(row, node, path), scope };
    const [only = data] = made; // a single branch was not given a snapshot
    const merged = made.length <= 1 ? only : payloadOf(await settleBlock<Phase>(settling), data, host);
    if (made.some(endsIn)) call.bail?.(merged);
    return site.keeps ? frozenCopy(merged) : merged;
  };
  addMap(site, `${node.kind}.merge`, settle);
  for (const id of places.keys()) site.results.set(id, site.before); // the step that was just added
};

/** The results of a block's steps, by id. */
type Results = Readonly<Record<string, PhaseData | undefined>>;

/** Creates unique ids. */
const uniqueIds = (): ((id: string) => string) => {
  const used = new Set<string>();
  return (id) => {
    let free = id;
    for (let n = 2; used.has(free); n += 1) free = `${id}-${n}`;
    used.add(free);
    return free;
  };
};
