import { useCallback, useEffect } from 'react';
import { subRunsPath } from '../../../protocol/run-file.js';
import type { RunPage, RunSummary } from '../../../protocol/runs.js';
import { live } from '../../api/live.js';
import { get } from '../../api/request.js';
import { useLoaded } from '../../api/use-loaded.js';

const none: readonly RunSummary[] = [];

/** The runs that the tools of a run began, in the order in which they began; kept up while they go on. */
export const useSubRuns = (runId: string): readonly RunSummary[] => {
  const { reload, ...loaded } = useLoaded(
    useCallback(async (signal) => (await get<RunPage>(subRunsPath(runId), signal)).runs.toReversed(), [runId]),
  );
  useEffect(
    () =>
      live.listen((news) => {
        if (news.kind === 'run' && news.run.parent?.runId === runId) reload();
      }),
    [runId, reload],
  );
  return loaded.state === 'loaded' ? loaded.value : none;
};
