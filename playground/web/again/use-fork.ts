import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import type { ForkRun } from '../../protocol/again.js';
import type { RunSummary, StartedRun, StartRun } from '../../protocol/runs.js';
import { runPath } from '../../protocol/run-file.js';
import { get, post } from '../api/request.js';
import { useAction } from '../api/use-loaded.js';
import { compareHref } from '../shell/hrefs.js';

const pauseMs = 300;

/** Starts another run, by default a fork, waits until it has ended or is suspended, and opens a comparison of both. */
export const useFork = (runId: string, path = `${runPath(runId)}/fork`) => {
  const [fork, act] = useAction<void>();
  const [, navigate] = useLocation();
  const isDisposed = useRef(false);
  useEffect(() => {
    isDisposed.current = false;
    return () => void (isDisposed.current = true);
  }, []);
  const start = (body: ForkRun | StartRun): Promise<void> =>
    act(async () => {
      const started = await post<StartedRun>(path, body);
      const isRunning = async (): Promise<boolean> => (await get<RunSummary>(runPath(started.runId))).status === 'running';
      while (!isDisposed.current && (await isRunning())) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (!isDisposed.current) navigate(compareHref(runId, started.runId));
    });
  return { fork, start };
};
