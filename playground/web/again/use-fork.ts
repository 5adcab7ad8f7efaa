import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { ForkRun } from '../../protocol/again.js';
import type { RunSummary, StartedRun, StartRun } from '../../protocol/runs.js';
import { get, post } from '../api/request.js';
import { compareHref } from './compare-href.js';

/** The state of a fork. */
type Fork = { readonly state: 'idle' | 'busy' } | { readonly state: 'failed'; readonly error: Error };

const pauseMs = 300;

/**
 * Starts another run, waits until it has ended or is suspended, and opens a comparison of both. `path` starts it; by default a
 * fork.
 */
export const useFork = (runId: string, path = `runs/${encodeURIComponent(runId)}/fork`) => {
  const [fork, setFork] = useState<Fork>({ state: 'idle' });
  const [, navigate] = useLocation();
  const isDisposed = useRef(false);
  useEffect(() => {
    isDisposed.current = false;
    return () => void (isDisposed.current = true);
  }, []);
  const start = async (body: ForkRun | StartRun): Promise<void> => {
    setFork({ state: 'busy' });
    try {
      const started = await post<StartedRun>(path, body);
      const isRunning = async (): Promise<boolean> =>
        (await get<RunSummary>(`runs/${encodeURIComponent(started.runId)}`)).status === 'running';
      while (!isDisposed.current && (await isRunning())) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (!isDisposed.current) navigate(compareHref(runId, started.runId));
    } catch (error) {
      setFork({ state: 'failed', error: error as Error }); // the client throws only this type
    }
  };
  return { fork, start };
};
