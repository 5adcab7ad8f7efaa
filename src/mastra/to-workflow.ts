import { createWorkflow as createMastraWorkflow, type AnyWorkflow } from '@mastra/core/workflows';
import { ProcessorStepInputSchema, ProcessorStepOutputSchema } from '../../schemas/index.js';
import { InterlockError } from '../errors.js';
import { stepContext } from '../pipeline/branch.js';
import { keyedBy } from '../pipeline/compile.js';
import type { BranchNode, FunctionNode, GraphNode, MapNode, ParallelNode, SequenceNode } from '../pipeline/graph.js';
import { mergeBranches, snapshotOf } from '../pipeline/parallel.js';
import type { PhaseData } from '../phase/row.js';
import { current } from '../phase/settle-messages.js';
import { phaseRow } from '../phase/table.js';
import { scopeOfStep, type StepCall } from './scope.js';
import { nodeStep, openPayload, payloadOf, rawStep, type ProcessorStep } from './step.js';
import { refusePromises } from './thenable.js';
import { rememberGraph } from './workflow-graphs.js';

/** Mastra's builder, of which each call gives the next; its types follow schemas that are all the same here. */
interface WorkflowBuilder {
  then(step: unknown): WorkflowBuilder;
  parallel(steps: unknown[]): WorkflowBuilder;
  branch(arms: [unknown, unknown][]): WorkflowBuilder;
  map(run: (call: MapCall) => unknown, options: { id: string }): WorkflowBuilder;
  commit(): AnyWorkflow;
}

interface MapCall extends StepCall {
  getStepResult(id: string): PhaseData;
}

/**
 * A graph as a real Mastra workflow of type `processor`. Branches of a block work on snapshots of their own and are merged by
 * a step after the block, in any engine that runs the workflow. Runs are not persisted: payloads hold what guards redact.
 */
export const toWorkflow = (graph: SequenceNode): AnyWorkflow => {
  const workflow = refusePromises(build(graph, { onSnapshot: false }));
  rememberGraph(workflow, graph);
  return workflow;
};

interface Building {
  /** Whether it stands in a block, and must not touch its siblings' payload. */
  readonly onSnapshot: boolean;
  /** Its name among its siblings, where that is not its own. */
  readonly id?: string;
}

/** A workflow under construction. */
interface Site {
  builder: WorkflowBuilder;
  /** The step that gives the next one its payload; none before the first. */
  before: string | undefined;
  readonly unique: (id: string) => string;
}

const build = (graph: SequenceNode, { onSnapshot, id = graph.id }: Building): AnyWorkflow => {
  const builder = createMastraWorkflow({
    id,
    inputSchema: ProcessorStepInputSchema,
    outputSchema: ProcessorStepOutputSchema,
    type: 'processor',
    options: { validateInputs: false, shouldPersistSnapshot: () => false },
  } as never) as unknown as WorkflowBuilder; // see WorkflowBuilder
  const site: Site = { builder, before: undefined, unique: uniqueIds() };
  if (onSnapshot || needsOpening(graph.nodes[0])) open(site, { id, onSnapshot });
  for (const [index, node] of graph.nodes.entries()) append(site, node, graph.nodes[index - 1]);
  return site.builder.commit();
};

/** A step opens the payload that it is given; what is no step leaves it to a step of its own before it. */
const needsOpening = (first: GraphNode | undefined): boolean =>
  first?.kind === 'parallel' || first?.kind === 'branch' || first?.kind === 'map';

const open = (site: Site, { id, onSnapshot }: { id: string; onSnapshot: boolean }): void => {
  const run = ({ inputData }: StepCall) => (onSnapshot ? copied(openPayload(inputData)) : openPayload(inputData));
  addMap(site, onSnapshot ? `${id}.snapshot` : `${id}.open`, run);
};

const addMap = (site: Site, id: string, run: (call: MapCall) => unknown): void => {
  site.before = site.unique(id);
  site.builder = site.builder.map(run, { id: site.before });
};

const append = (site: Site, node: GraphNode, previous: GraphNode | undefined): void => {
  switch (node.kind) {
    case 'guard':
    case 'function':
    case 'sequence': {
      const step = toStep(site, node, false);
      site.builder = site.builder.then(step);
      site.before = step.id;
      return;
    }
    case 'map':
      return appendMap(site, node, previous);
    case 'parallel':
      site.builder = site.builder.parallel(node.nodes.map((inner) => toStep(site, inner, true)));
      return appendMerge(site, node);
    case 'branch':
      site.builder = site.builder.branch(armsOf(site, node));
      return appendMerge(site, node);
    default:
      node satisfies never;
  }
};

/** A node as one step; `onSnapshot` where it stands in a block. */
const toStep = (site: Site, node: GraphNode, onSnapshot: boolean): { id: string } => {
  switch (node.kind) {
    case 'sequence':
      return build(node, { onSnapshot, id: site.unique(node.id) });
    case 'guard':
    case 'function': {
      const step = nodeStep(node, site.unique(node.kind === 'guard' ? `processor:${node.id}` : node.id));
      return onSnapshot ? snapshotted(step) : step;
    }
    case 'map':
    case 'parallel':
    case 'branch':
      return build({ kind: 'sequence', id: node.kind, nodes: [node] }, { onSnapshot, id: site.unique(node.kind) });
    default:
      return node satisfies never;
  }
};

const snapshotted = (step: ProcessorStep): ProcessorStep => ({
  ...step,
  execute: (call: { inputData: PhaseData }) =>
    (step.execute as (call: object) => Promise<PhaseData>)({ ...call, inputData: copied(call.inputData) }), // Mastra's type asks for its whole context
});

const copied = (data: PhaseData): PhaseData => snapshotOf(data, scopeOfStep({ inputData: data }));

/** A map as the plan runs it: whatever it picks holds the merged payload. */
const appendMap = (site: Site, node: MapNode, previous: GraphNode | undefined): void => {
  const asFunction: FunctionNode = {
    kind: 'function',
    id: node.id,
    run: (data, scope) => node.run({ ...stepContext(data, scope), inputData: keyedBy(previous, data) }),
  };
  const { execute } = nodeStep(asFunction);
  addMap(site, node.id, execute as unknown as (call: MapCall) => unknown); // see snapshotted
};

/** After a block: what its branches made of the payload, merged against the payload they were all given. */
const appendMerge = (site: Site, node: ParallelNode | BranchNode): void => {
  const given = site.before as string; // a block is never the first step, see needsOpening
  const merge = (call: MapCall): PhaseData => {
    const base = call.getStepResult(given);
    const results = Object.entries(call.inputData as Record<string, PhaseData | undefined>).filter(didRun);
    const verdict = mergeBranches({
      data: base,
      branches: results.map(([branch]) => ({ id: branch })),
      results: results.map(([, result]) => result),
      block: { row: phaseRow(base.phase), path: node.kind, overlap: node.overlap },
      scope: scopeOfStep({ ...call, inputData: base }),
    });
    return payloadOf(verdict, base);
  };
  addMap(site, `${node.kind}.merge`, merge);
};

/** An arm that was not chosen is there without a result. */
const didRun = (entry: [string, PhaseData | undefined]): entry is [string, PhaseData] => entry[1] !== undefined;

/**
 * The arms, and one more that fails the run where a condition throws: Mastra's engine takes a throwing condition for false,
 * and would skip its guard. Each condition is asked once.
 */
const armsOf = (site: Site, node: BranchNode): [unknown, unknown][] => {
  const chosen = chooser(node);
  const arms = node.arms.map(({ node: inner }, index): [unknown, unknown] => [
    async (call: StepCall) => (await chosen(call)).matching.includes(index),
    toStep(site, inner, true),
  ]);
  const failing = rawStep({
    id: site.unique('branch.condition-failed'),
    execute: async (call) => {
      throw (await chosen(call)).failure ?? new InterlockError('pipeline/condition-failed');
    },
  });
  return [...arms, [async (call: StepCall) => (await chosen(call)).failure !== undefined, failing]];
};

interface Choice {
  readonly matching: readonly number[];
  readonly failure?: InterlockError;
}

/** Asks the conditions of a branch in their order, once for each payload. */
const chooser = ({ arms }: BranchNode) => {
  const choices = new WeakMap<object, Promise<Choice>>();
  const choose = async (call: StepCall): Promise<Choice> => {
    const scope = scopeOfStep(call);
    const given = call.inputData as PhaseData; // every step of a pipeline gives the payload
    const data = current(given, scope.host, phaseRow(given.phase).carries);
    const matching: number[] = [];
    for (const [index, { when }] of arms.entries()) {
      try {
        if (await when(stepContext(data, scope))) matching.push(index);
      } catch (cause) {
        return { matching: [], failure: new InterlockError('pipeline/condition-failed', { path: `branch.${index}`, cause }) };
      }
    }
    return { matching };
  };
  return (call: StepCall): Promise<Choice> => {
    const choice = choices.get(call.inputData) ?? choose(call);
    choices.set(call.inputData, choice);
    return choice;
  };
};

/** Makes names that differ from each other. */
const uniqueIds = (): ((id: string) => string) => {
  const used = new Set<string>();
  return (id) => {
    let free = id;
    for (let n = 2; used.has(free); n += 1) free = `${id}-${n}`;
    used.add(free);
    return free;
  };
};
