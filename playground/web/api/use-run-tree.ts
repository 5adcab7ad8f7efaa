import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { subRunsPath } from '../../protocol/run-file.js';
import type { RunPage, RunSummary } from '../../protocol/runs.js';
import { treeOf, type RunTree } from '../../fold/run-tree.js';
import { live } from './live.js';
import { get } from './request.js';
import { readerOf, type ReadRun } from './run-readers.js';

/** The summaries of all runs below a run, at any depth. */
const readBelow = async (runId: string, signal: AbortSignal): Promise<readonly RunSummary[]> => {
  const { runs } = await get<RunPage>(subRunsPath(runId), signal);
  const below = await Promise.all(runs.map((run) => readBelow(run.runId, signal)));
  return [...runs, ...below.flat()];
};

/** The same, updated while they are under way. */
const useBelow = (runId: string): readonly RunSummary[] => {
  const [runs, setRuns] = useState<readonly RunSummary[]>([]);
  useEffect(() => {
    let controller = new AbortController();
    const known = new Set([runId]);
    const read = async (): Promise<void> => {
      controller.abort();
      const { signal } = (controller = new AbortController());
      const found = await readBelow(runId, signal).catch(() => undefined); // without them the run itself is shown
      if (signal.aborted || !found) return;
      for (const run of found) known.add(run.runId);
      setRuns((before) => (before.length + found.length === 0 ? before : found)); // most runs have none
    };
    void read();
    const stop = live.listen((news) => {
      if (news.kind === 'run' && known.has(news.run.parent?.runId ?? '')) void read();
    });
    return () => {
      stop();
      controller.abort();
    };
  }, [runId]);
  return runs;
};

/** Reads several runs as long as the page shows them; the number changes with each of their lines. */
const useReaders = (runIds: readonly string[]): number => {
  const subscribe = useCallback(
    (listener: () => void) => {
      const stops = runIds.map((runId) => readerOf(runId).subscribe(listener));
      return () => stops.forEach((stop) => stop());
    },
    [runIds],
  );
  return useSyncExternalStore(subscribe, () => runIds.reduce((sum, runId) => sum + readerOf(runId).current().count, 0));
};

/** A run with all known lines, and the runs of its sub-agents at any depth. */
export const useRunTree = (run: RunSummary, { fold, count }: ReadRun): RunTree => {
  const below = useBelow(run.runId);
  const version = useReaders(useMemo(() => below.map(({ runId }) => runId), [below]));
  return useMemo(
    () =>
      treeOf(
        { run, view: fold.at() },
        below.map((one) => ({ run: one, view: readerOf(one.runId).fold.at() })),
      ),
    // oxlint-disable-next-line react/exhaustive-deps -- the folds grow with these numbers
    [run, fold, count, below, version],
  );
};
