import { createWorkflow as createMastraWorkflow, type AnyWorkflow } from '@mastra/core/workflows';
import { ProcessorStepInputSchema, ProcessorStepOutputSchema } from '../../schemas/index.js';
import { InterlockError } from '../errors.js';
import { stepContext } from '../pipeline/branch.js';
import { keyedBy, nodeId } from '../pipeline/compile.js';
import type { BranchNode, Condition, GraphNode, MapNode, ParallelNode, SequenceNode } from '../pipeline/graph.js';
import { mergeBranches } from '../pipeline/parallel.js';
import type { PhaseData } from '../phase/row.js';
import { phaseRow } from '../phase/table.js';
import { payloadOf, payloadStep, processorStep, type ProcessorStep } from './step.js';
import { createHost } from './host.js';
import { scopeOfStep, type StepCall } from './scope.js';

/** Mastra's builder, of which each call gives the next; its types follow schemas that are all the same here. */
interface WorkflowBuilder {
  then(step: unknown): WorkflowBuilder;
  parallel(steps: unknown[]): WorkflowBuilder;
  branch(arms: [unknown, unknown][]): WorkflowBuilder;
  map(run: (call: MapCall) => unknown, options: { id: string }): WorkflowBuilder;
  commit(): AnyWorkflow;
}

interface MapCall extends StepCall {
  inputData: Record<string, PhaseData>;
  getInitData(): PhaseData;
  getStepResult(id: string): PhaseData;
}

/** The graphs that workflows were made of. */
const graphs = new WeakMap<object, SequenceNode>();

export const graphOfWorkflow = (workflow: object): SequenceNode | undefined => graphs.get(workflow);

/**
 * A graph as a real Mastra workflow of type `processor`. Branches of a block work on snapshots of their own and are merged by
 * a step after the block, in any engine that runs the workflow. Runs are not persisted: payloads hold what guards redact.
 */
export const toWorkflow = (graph: SequenceNode): AnyWorkflow => {
  const workflow = build(graph, false);
  graphs.set(workflow, graph);
  return workflow;
};

const build = (graph: SequenceNode, onSnapshot: boolean): AnyWorkflow => {
  const options = { validateInputs: false, shouldPersistSnapshot: () => false };
  let builder = createMastraWorkflow({
    id: graph.id,
    inputSchema: ProcessorStepInputSchema,
    outputSchema: ProcessorStepOutputSchema,
    type: 'processor',
    options,
  } as never) as unknown as WorkflowBuilder;
  let before: string | undefined;
  if (onSnapshot) {
    before = `${graph.id}.snapshot`;
    builder = builder.map((call) => snapshotOf(call.inputData as unknown as PhaseData), { id: before });
  }
  graph.nodes.forEach((node, index) => {
    ({ builder, before } = append(builder, node, { index, before, previous: graph.nodes[index - 1] }));
  });
  return builder.commit();
};

interface Place {
  index: number;
  /** The id of the step that gave this node its payload; none for the first. */
  before: string | undefined;
  previous: GraphNode | undefined;
}

interface Appended {
  builder: WorkflowBuilder;
  before: string | undefined;
}

const append = (builder: WorkflowBuilder, node: GraphNode, place: Place): Appended => {
  switch (node.kind) {
    case 'guard':
    case 'function':
    case 'sequence': {
      const step = toStep(node, false);
      return { builder: builder.then(step), before: step.id };
    }
    case 'map':
      return { builder: builder.map((call) => runMap(node, place.previous, call), { id: node.id }), before: node.id };
    case 'parallel':
      return merged(builder.parallel(node.nodes.map((inner) => toStep(inner, true))), node, place);
    case 'branch':
      return merged(builder.branch(armsOf(node)), node, place);
    default:
      return node satisfies never;
  }
};

/** A node as one step; `onSnapshot` where it stands in a block and must not touch its siblings' payload. */
const toStep = (node: GraphNode, onSnapshot: boolean): { id: string } => {
  if (node.kind === 'sequence') return build(node, onSnapshot);
  if (node.kind === 'guard') return onSnapshot ? snapshotted(processorStep(node.processor)) : processorStep(node.processor);
  if (node.kind === 'function') {
    const step = payloadStep({ id: node.id, run: async (data, scope) => (await node.run(data, scope)) ?? data });
    return onSnapshot ? snapshotted(step) : step;
  }
  return build({ kind: 'sequence', id: node.kind, nodes: [node] }, onSnapshot);
};

const snapshotted = (step: ProcessorStep): ProcessorStep => ({
  ...step,
  execute: (call: { inputData: PhaseData }) =>
    (step.execute as (call: object) => Promise<PhaseData>)({ ...call, inputData: snapshotOf(call.inputData) }),
});

const snapshotOf = (data: PhaseData): PhaseData => {
  const { messageList } = data as { messageList?: Parameters<ReturnType<typeof createHost>['messages']['fork']>[0] };
  return messageList ? ({ ...data, messageList: createHost().messages.fork(messageList) } as PhaseData) : data;
};

/** After a block: what its branches made of the payload, merged against the payload they were all given. */
const merged = (builder: WorkflowBuilder, node: ParallelNode | BranchNode, place: Place): Appended => {
  const id = `${node.kind}.${place.index}.merge`;
  const merge = (call: MapCall): PhaseData => {
    const base = place.before === undefined ? call.getInitData() : call.getStepResult(place.before);
    const ids = Object.keys(call.inputData);
    const verdict = mergeBranches({
      data: base,
      branches: ids.map((branch) => ({ id: branch })),
      results: ids.map((branch) => call.inputData[branch] as PhaseData),
      block: { row: phaseRow(base.phase), path: id, overlap: node.overlap },
      scope: scopeOfStep({ ...call, inputData: base }),
    });
    return payloadOf(verdict, base);
  };
  return { builder: builder.map(merge, { id }), before: id };
};

const runMap = async (node: MapNode, previous: GraphNode | undefined, call: MapCall): Promise<unknown> => {
  const payload = call.inputData as unknown as PhaseData;
  const context = stepContext(payload, scopeOfStep({ ...call, inputData: payload }));
  return (await node.run({ ...context, inputData: keyedBy(previous, payload) })) ?? payload;
};

/**
 * The arms, and one more that fails the run where a condition throws: Mastra's engine takes a throwing condition for false,
 * and would skip its guard.
 */
const armsOf = (node: BranchNode): [unknown, unknown][] => {
  const arms = node.arms.map(({ when, node: inner }): [unknown, unknown] => [
    (call: StepCall) => holds(when, call).catch(() => false),
    toStep(inner, true),
  ]);
  const failing = payloadStep({
    id: `${nodeId(node)}.condition-failed`,
    run: async (data, scope) => {
      for (const { when } of node.arms) await holds(when, { ...scope, inputData: data } as unknown as StepCall);
      return data;
    },
  });
  const anyThrows = async (call: StepCall) =>
    (await Promise.allSettled(node.arms.map(({ when }) => holds(when, call)))).some(({ status }) => status === 'rejected');
  return [...arms, [anyThrows, failing]];
};

const holds = async (when: Condition, call: StepCall): Promise<boolean> => {
  const data = call.inputData as PhaseData;
  try {
    return await when(stepContext(data, scopeOfStep(call)));
  } catch (cause) {
    throw new InterlockError('pipeline/condition-failed', { path: 'branch', cause });
  }
};
