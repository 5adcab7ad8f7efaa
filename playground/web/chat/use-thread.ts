import { useCallback, useEffect, useState } from 'react';
import type { AgentInfo } from '../../protocol/catalog.js';
import type { RunPage, StartedRun } from '../../protocol/runs.js';
import { get, post, query } from '../api/request.js';
import { asError } from '../api/use-loaded.js';
import { useQuery } from '../shell/use-query.js';

/** A conversation: the runs of its turns, oldest first. */
export interface Thread {
  readonly turns: readonly string[];
  readonly send: (text: string) => Promise<void>;
  /** Adds the run that an answer of a person continued, if it is another one. */
  readonly add: (run: StartedRun) => void;
  readonly error: Error | undefined;
}

/** Loads a conversation and continues it; once it has started, the address contains its id. */
export const useThread = (agent: AgentInfo, thread: string | undefined): Thread => {
  const [, setQuery] = useQuery();
  const [turns, setTurns] = useState<{ readonly thread: string | undefined; readonly runIds: readonly string[] }>({
    thread,
    runIds: [],
  });
  const [error, setError] = useState<Error>();
  const known = turns.thread === thread ? turns.runIds : [];

  useEffect(() => {
    if (thread === undefined) return undefined;
    const controller = new AbortController();
    const show = ({ runs }: RunPage): void => {
      const runIds = runs.toSorted((a, b) => a.startedAt - b.startedAt).map(({ runId }) => runId);
      const newer = (now: readonly string[]) => now.filter((id) => !runIds.includes(id));
      setTurns((now) => ({ thread, runIds: [...runIds, ...(now.thread === thread ? newer(now.runIds) : [])] }));
    };
    get<RunPage>(`runs${query({ thread, limit: 100 })}`, controller.signal)
      .then(show)
      .catch((thrown: unknown) => controller.signal.aborted || setError(asError(thrown)));
    return () => controller.abort();
  }, [thread]);

  const add = useCallback(({ runId, threadId }: StartedRun) => {
    setTurns((now) => ({
      thread: threadId,
      runIds: [...new Set([...(now.thread === threadId ? now.runIds : []), runId])],
    }));
  }, []);

  const send = useCallback(
    async (text: string) => {
      setError(undefined);
      try {
        const started = await post<StartedRun>(`agents/${encodeURIComponent(agent.id)}/runs`, { text, threadId: thread });
        add(started);
        setQuery({ agent: agent.id, thread: started.threadId });
      } catch (thrown) {
        setError(asError(thrown));
        throw thrown;
      }
    },
    [agent.id, thread, setQuery, add],
  );
  return { turns: known, send, add, error };
};
