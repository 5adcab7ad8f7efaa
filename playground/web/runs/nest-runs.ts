import type { RunSummary } from '../../protocol/runs.js';

/** A run of the list with its listed sub-runs. */
export interface NestedRun {
  readonly run: RunSummary;
  readonly depth: number;
  readonly inside: readonly NestedRun[];
}

/** The runs in their order, each sub-run below its parent if that is listed as well. */
export const nestRuns = (runs: readonly RunSummary[]): readonly NestedRun[] => {
  const listed = new Set(runs.map(({ runId }) => runId));
  const byParent = Map.groupBy(runs, ({ parent }) => (parent && listed.has(parent.runId) ? parent.runId : ''));
  const below = (runId: string, depth: number): NestedRun[] =>
    (byParent.get(runId) ?? [])
      .toSorted((a, b) => a.startedAt - b.startedAt)
      .map((run) => ({ run, depth, inside: below(run.runId, depth + 1) }));
  const flat = (one: NestedRun): NestedRun[] => [one, ...one.inside.flatMap(flat)];
  return (byParent.get('') ?? []).flatMap((run) => flat({ run, depth: 0, inside: below(run.runId, 1) }));
};
