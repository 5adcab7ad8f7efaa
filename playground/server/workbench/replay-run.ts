import { compareTraces, replay, type Replayed, type Trace } from '../../../src/replay.js';
import { InterlockError } from '../../../src/index.js';
import type { DynamicGuards } from '../../../src/mastra/graph/to-graph.js';
import { toWorkflow } from '../../../src/mastra/workflow/to-workflow.js';
import type { ChosenGuard } from '../../protocol/again.js';
import type { Comparison } from '../../protocol/runs.js';
import { makeGuard } from '../again/chosen-guard.js';
import { interlockAgent, swapGuard } from '../again/swap-guard.js';
import { isInterlock, type Known } from '../catalog/known.js';

/** A run for a replay. */
export interface ReplayedRun {
  readonly runId: string;
  readonly agentId: string;
  readonly trace: Trace;
}

/** The guards of a replay: other pipelines in some arrays and the agent's own in the others, or the agent's own with one guard changed. */
export interface ReplayChoice {
  readonly pipelines: Readonly<Record<string, string>>;
  readonly guard?: ChosenGuard | undefined;
  /** The id of the guard that it replaces. Default: its own id. */
  readonly instead?: string | undefined;
}

/** Replays a run with other guards, and compares the runs. */
export const replayRun = async (known: Known, run: ReplayedRun, choice: ReplayChoice): Promise<Comparison> => {
  const { pipelines, guard, instead } = choice;
  const guards = guard
    ? swapGuard(interlockAgent(known, run.agentId), makeGuard(known, guard), instead)
    : await guardsOf(known, run.agentId, pipelines);
  const replayed = await replay(run.trace, guards);
  const { rows, before, after } = compareTraces(run.trace, replayed.trace);
  return {
    rows,
    before: { status: before.status ?? 'running', text: before.text },
    after: { status: after.status ?? 'running', text: after.text, runId: run.runId },
    ...endOf(replayed),
  };
};

const endOf = ({ endedAt }: Replayed): Pick<Comparison, 'endedAt'> =>
  endedAt ? { endedAt: `step ${endedAt.stepNumber + 1}, attempt ${endedAt.attempt}: ${endedAt.reason}` } : {};

const lanes = ['input', 'output', 'error'] as const;

const guardsOf = async (known: Known, agentId: string, pipelines: Readonly<Record<string, string>>) => {
  const agent = known.agents.find(({ id }) => id === agentId)?.agent;
  if (!agent || !isInterlock(agent)) throw new InterlockError('studio/not-found', { path: agentId });
  const own = {
    input: () => agent.listConfiguredInputProcessors(),
    output: () => agent.listConfiguredOutputProcessors(),
    error: () => agent.listErrorProcessors(),
  };
  const chosen = lanes.map(async (lane): Promise<[string, unknown]> => {
    const id = pipelines[lane];
    return [`${lane}Processors`, id === undefined ? await own[lane]() : [workflowOf(known, id)]];
  });
  return Object.fromEntries(await Promise.all(chosen)) as { [L in (typeof lanes)[number] as `${L}Processors`]: DynamicGuards };
};

const workflowOf = ({ pipelines }: Known, id: string) => {
  const pipeline = pipelines.find((one) => one.id === id);
  if (!pipeline) throw new InterlockError('studio/not-found', { path: id });
  return toWorkflow(pipeline.graph);
};
