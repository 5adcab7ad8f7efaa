import type { Processor } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import type { AnyWorkflow } from '@mastra/core/workflows';
import { InterlockError } from '../errors.js';
import { compileGraph, type Plan } from '../pipeline/compile.js';
import type { SequenceNode } from '../pipeline/graph.js';
import type { PhaseRow } from '../phase/row.js';
import { phaseNames, phaseRow } from '../phase/table.js';
import { isPipeline, toGraph, type Pipeline, type PipelineStep } from './pipeline.js';
import { isWorkflow } from './to-graph.js';
import { toWorkflow } from './to-workflow.js';

/** Guards of one lane: processors, pipelines and workflows in an array, or one pipeline or workflow alone. */
export type Guards = readonly PipelineStep[] | Pipeline | AnyWorkflow;

/**
 * Guards, or a function that gives them for a request. An asynchronous function gives an array: pipelines and workflows have a
 * `then` of their own, so that a promise of one would never settle.
 */
export type DynamicGuards = Guards | ((call: { requestContext: RequestContext }) => Guards | Promise<readonly PipelineStep[]>);

export type Lane = PhaseRow['lane'];

/** Guards as an array of what Mastra takes: pipelines that were not committed are. */
export const toArray = (guards: Guards | undefined): readonly PipelineStep[] => {
  if (!guards) return [];
  if (!isMany(guards)) return [committed(guards)];
  return guards.some(isPipeline) ? guards.map(committed) : guards;
};

const isMany = (guards: Guards): guards is readonly PipelineStep[] => Array.isArray(guards);

const committed = (step: PipelineStep): PipelineStep => (isPipeline(step) ? step.commit() : step);

/** The guards of a request. Raises `agent/invalid-option` where a function gives none of the forms. */
export const resolveGuards = async (
  guards: DynamicGuards | undefined,
  requestContext: RequestContext,
): Promise<readonly PipelineStep[]> => {
  if (typeof guards !== 'function') return toArray(guards);
  const given = guards({ requestContext });
  return toArray(given instanceof Promise ? await given : given);
};

/** Whether a step is a bare processor, whose hooks can be seen. */
const isBare = (step: PipelineStep): step is Processor => typeof step === 'object' && !isWorkflow(step) && !('execute' in step);

/** Refuses a bare processor in a lane where none of its hooks ever runs: `pipeline/wrong-lane`. */
export const checkLane = (steps: readonly PipelineStep[], lane: Lane): void => {
  const rows = phaseNames.map((phase) => phaseRow(phase));
  for (const step of steps.filter(isBare)) {
    const own = rows.filter(({ hook }) => typeof step[hook] === 'function');
    if (own.length === 0 || own.some((row) => row.lane === lane || row.lane === 'error')) continue;
    const hooks = own.map(({ hook }) => hook).join(', ');
    throw new InterlockError('pipeline/wrong-lane', { path: `${lane}Processors/${step.id}`, detail: `it has ${hooks}.` });
  }
};

/** The graph of a lane; one pipeline alone keeps its own id and shape. */
const laneGraph = (steps: readonly PipelineStep[], id: string): SequenceNode => {
  const [only] = steps;
  return steps.length === 1 && only && isWorkflow(only) ? toGraph(only) : toGraph(steps, id);
};

/** Plans that were compiled before: an agent's own guards are the same array in every call. */
const plans = new WeakMap<readonly PipelineStep[], Plan>();

/** Compiles a lane, once for each array; nothing where it has no guards. Raises `pipeline/…` for what cannot work. */
export const compileLane = (steps: readonly PipelineStep[], id: string): Plan | undefined => {
  if (steps.length === 0) return undefined;
  const plan = plans.get(steps) ?? compileGraph(laneGraph(steps, id));
  plans.set(steps, plan);
  return plan;
};

/** The name of an agent's lane, as Mastra gives it. */
export const laneId = (agentId: string, lane: Lane): string => `${agentId}-${lane}-processor`;

/** The workflows that stand for a lane when its agent is registered: the lane as a whole, and each pipeline in it. */
export const laneWorkflows = (steps: readonly PipelineStep[], id: string): AnyWorkflow[] => {
  const own = steps.filter(isWorkflow).map(asProcessorWorkflow);
  if (steps.length === 0 || (steps.length === 1 && own.length === 1)) return own;
  return [toWorkflow(toGraph(steps, id)), ...own];
};

/** Marks a workflow that was made by hand as what it is used for, as Mastra's agent does. */
export const asProcessorWorkflow = (workflow: AnyWorkflow): AnyWorkflow => {
  workflow.type = 'processor';
  return workflow;
};
