import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { ForkRun } from '../../protocol/again.js';
import type { RunSummary, StartedRun } from '../../protocol/runs.js';
import { get, post } from '../api/request.js';
import { besideHref } from './beside-href.js';

/** How a fork stands. */
export type Fork = { readonly state: 'idle' | 'busy' } | { readonly state: 'failed'; readonly error: Error };

const pauseMs = 300;

/** Starts a fork of a run, waits until it has ended or rests, and opens both side by side. */
export const useFork = (runId: string) => {
  const [fork, setFork] = useState<Fork>({ state: 'idle' });
  const [, navigate] = useLocation();
  const left = useRef(false);
  useEffect(() => {
    left.current = false;
    return () => void (left.current = true);
  }, []);
  const start = async (edits: ForkRun): Promise<void> => {
    setFork({ state: 'busy' });
    try {
      const begun = await post<StartedRun>(`runs/${encodeURIComponent(runId)}/fork`, edits);
      const isRunning = async (): Promise<boolean> =>
        (await get<RunSummary>(`runs/${encodeURIComponent(begun.runId)}`)).status === 'running';
      while (!left.current && (await isRunning())) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (!left.current) navigate(besideHref(runId, begun.runId));
    } catch (error) {
      setFork({ state: 'failed', error: error as Error }); // the client throws nothing else
    }
  };
  return { fork, start };
};
