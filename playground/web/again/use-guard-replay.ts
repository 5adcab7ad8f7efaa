import { useCallback, useEffect, useRef, useState } from 'react';
import type { ChosenGuard } from '../../protocol/again.js';
import type { AgentInfo } from '../../protocol/catalog.js';
import type { Comparison, RunPage, RunSummary } from '../../protocol/runs.js';
import { get, post, query, type ApiError } from '../api/request.js';
import type { ReplayedRun } from './changed-verdicts.js';

/** A replay of a guard over recorded runs, under way. */
export interface GuardReplay {
  readonly state: 'idle' | 'busy' | 'done' | 'stopped' | 'failed';
  /** The number of runs to replay; undefined until it is known. */
  readonly total: number | undefined;
  readonly replayed: readonly ReplayedRun[];
  readonly error: Error | undefined;
}

/** The runs for a replay, and its guard. */
export interface ReplayRequest {
  readonly guard: ChosenGuard;
  readonly instead: string;
  readonly agent: string;
  readonly last: number;
  readonly agents: readonly AgentInfo[];
}

const idle: GuardReplay = { state: 'idle', total: undefined, replayed: [], error: undefined };

/** Mastra's own agent's run has no trace, and a run under way has no end to compare. */
const replayable = async ({ agent, last, agents }: ReplayRequest, signal: AbortSignal): Promise<RunSummary[]> => {
  const { runs } = await get<RunPage>(`runs${query({ agent, limit: last })}`, signal);
  const recorded = new Set(agents.filter(({ kind }) => kind === 'interlock').map(({ id }) => id));
  return runs.filter(({ agentId, status }) => recorded.has(agentId) && status !== 'running');
};

/** Whether an error is about the guard, or the studio, and not about one run. */
const isOfAll = ({ code }: ApiError): boolean =>
  /^(guard|pipeline)\/|^studio\/(content-withheld|invalid-request|unreachable)$/.test(code);

const replayOne = async (run: RunSummary, { guard, instead }: ReplayRequest): Promise<ReplayedRun> => {
  const choice = { guard, ...(instead !== '' && { instead }) };
  try {
    return { run, comparison: await post<Comparison>(`runs/${encodeURIComponent(run.runId)}/replay`, choice) };
  } catch (thrown) {
    const error = thrown as ApiError; // the client throws only this type
    if (isOfAll(error)) throw error;
    return { run, error };
  }
};

/** Replays a guard over runs, one after the other. It can be stopped, and stops when the user leaves the page. */
export const useGuardReplay = () => {
  const [replay, setReplay] = useState(idle);
  const underWay = useRef<AbortController>(undefined);
  const stop = useCallback(() => {
    underWay.current?.abort();
    setReplay((now) => (now.state === 'busy' ? { ...now, state: 'stopped' } : now));
  }, []);
  useEffect(() => () => underWay.current?.abort(), []);
  const start = useCallback(async (request: ReplayRequest): Promise<void> => {
    underWay.current?.abort();
    const { signal } = (underWay.current = new AbortController());
    const change = (next: (now: GuardReplay) => GuardReplay): void => {
      if (!signal.aborted) setReplay(next);
    };
    change(() => ({ ...idle, state: 'busy' }));
    try {
      const runs = await replayable(request, signal);
      change((now) => ({ ...now, total: runs.length }));
      for (const run of runs) {
        if (signal.aborted) return;
        const one = await replayOne(run, request);
        change((now) => ({ ...now, replayed: [...now.replayed, one] }));
      }
      change((now) => ({ ...now, state: 'done' }));
    } catch (thrown) {
      change((now) => ({ ...now, state: 'failed', error: thrown as Error })); // the client throws only this type
    }
  }, []);
  return { replay, start, stop };
};
