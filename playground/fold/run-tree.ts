import type { RunSummary } from '../protocol/runs.js';
import { factsOf, worstFact, type Fact } from './facts.js';
import { emptyRun, type RunView } from './run-view.js';

/** A run with the runs of its sub-agents, at any depth. */
export interface RunTree {
  readonly run: RunSummary;
  readonly view: RunView;
  readonly subRuns: readonly RunTree[];
}

/** A run, and what is known of it. */
export interface KnownRun {
  readonly run: RunSummary;
  readonly view: RunView | undefined;
}

/** The tree below a run. Runs that are not below it are left out; those of one parent are in the order of their start. */
export const treeOf = (root: KnownRun, others: readonly KnownRun[]): RunTree => ({
  run: root.run,
  view: root.view ?? emptyRun,
  subRuns: others
    .filter(({ run }) => run.parent?.runId === root.run.runId && run.runId !== root.run.runId)
    .toSorted((a, b) => a.run.startedAt - b.run.startedAt)
    .map((known) => treeOf(known, others)),
});

/** A fact of a run of the tree. */
export interface TreeFact extends Fact {
  readonly runId: string;
  /** The agents on the way from the root, without the root's: empty for its own facts. */
  readonly agents: readonly string[];
}

/** Every fact of a tree: those of a run, then those of its sub-runs, which stand for the call that failed with them. */
export const factsOfTree = ({ run, view, subRuns }: RunTree, agents: readonly string[] = []): TreeFact[] => [
  ...factsOf(view)
    .filter(({ toolCallId }) => !subRuns.some((sub) => sub.run.parent?.toolCallId === toolCallId && factsOf(sub.view).length > 0))
    .map((fact) => ({ ...fact, runId: run.runId, agents })),
  ...subRuns.flatMap((sub) => factsOfTree(sub, [...agents, sub.run.agentId])),
];

/** Sums over the model calls of a tree, as far as providers report them. */
export interface Cost {
  /** Calls that were made, discarded and failed ones included. */
  readonly calls: number;
  readonly discarded: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The cost of one run without its sub-runs. */
export const costOf = ({ lanes }: RunView): Cost => {
  const models = lanes.flatMap((lane) => lane.models);
  const sum = (name: 'inputTokens' | 'outputTokens'): number =>
    models.reduce((total, { usage, outcome }) => total + (outcome === 'discarded' ? 0 : (usage?.[name] ?? 0)), 0);
  return {
    calls: models.length,
    discarded: models.filter(({ outcome }) => outcome === 'discarded').length,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
  };
};

export const costOfTree = ({ view, subRuns }: RunTree): Cost =>
  subRuns.map(costOfTree).reduce(
    (sum, one) => ({
      calls: sum.calls + one.calls,
      discarded: sum.discarded + one.discarded,
      inputTokens: sum.inputTokens + one.inputTokens,
      outputTokens: sum.outputTokens + one.outputTokens,
    }),
    costOf(view),
  );

/** The time that a run took without its pauses, in milliseconds, up to its end or to `now`. */
export const durationOf = ({ startedAt, endedAt, at, pauses, status }: RunView, now?: number): number => {
  const end = endedAt ?? (status === 'running' ? now : undefined) ?? at ?? startedAt ?? 0;
  return Math.max(0, end - (startedAt ?? end) - pauses.reduce((sum, { from, to }) => sum + to - from, 0));
};

/** The fact that explains a tree best: the worst one, those of the run itself before those of sub-runs. */
export const worstFactOf = (facts: readonly TreeFact[]): TreeFact | undefined => {
  const worst = worstFact(facts);
  return worst && (worstFact(facts.filter(({ agents, tone }) => agents.length === 0 && tone === worst.tone)) ?? worst);
};
