import { InterlockError, isInterlockError } from '../../../src/index.js';
import type { RunSummary } from '../../protocol/runs.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { isInterlock, type KnownAgent } from '../catalog/known.js';
import { createRunLog, type RunStorage, type StoredRun, type RunLog } from './run-log.js';
import { attachStream, firstPlace, readRepeated, type AgentStream, type Following, type RunSession } from './run-session.js';

/** A run whose process is gone. */
export interface AdoptedRun {
  readonly summary: RunSummary;
  /** Undefined if the agent no longer exists. */
  readonly agent: KnownAgent | undefined;
  readonly lines: StoredRun['lines'];
}

/** The treatment of runs whose process is gone. */
export interface TakingUp {
  /** Follows a run that was under way if its engine continues it; other runs are interrupted. */
  takeUp(run: AdoptedRun): void;
  /** Marks a run that no process continues, so that it cannot be answered. */
  interrupt(run: AdoptedRun): void;
}

export interface TakingUpOptions extends Pick<RunStorage, 'keepsContent' | 'onChange'> {
  /** The runs under way or suspended here, and the visible logs. */
  readonly sessions: Map<string, RunSession>;
  readonly watched: Map<string, RunLog>;
  /** Stores the rest of a run that is over. */
  finish(log: RunLog): Promise<void>;
  /** Reads a stream until it ends or is suspended. */
  followed(session: RunSession, stream: AgentStream, read: Following['read']): void;
}

/** Adopts runs whose process is gone. */
export const takingUp = (options: TakingUpOptions): TakingUp => {
  const { sessions, watched, finish, followed } = options;
  const taken = (run: AdoptedRun): RunLog => {
    const log = reopenLog(options, run);
    watched.set(log.runId, log); // until it is stored
    return log;
  };
  const interrupt = (log: RunLog): void => {
    const { code, message } = new InterlockError('studio/interrupted');
    log.add({ kind: 'status', status: 'interrupted', error: { code, message } }, lastAt(log));
    void finish(log);
  };
  const takeUp = async (run: AdoptedRun): Promise<void> => {
    const { agent, lines } = run;
    const log = taken(run);
    if (!agent || !isInterlock(agent.agent)) return interrupt(log);
    const session = sessionOf(run, agent, log);
    sessions.set(log.runId, session);
    try {
      const stream = await attachStream(agent.agent, session);
      log.add({ kind: 'status', status: 'running' });
      followed(session, stream, readRepeated(lines.entry.map((line) => JSON.parse(line) as StudioEntry))); // this studio's own lines
    } catch (error) {
      if (isUnknown(error)) return interrupt(log);
      log.add({ kind: 'status', status: 'failed', error: errorOf(error) });
      void finish(log);
    }
  };
  return { takeUp: (run) => void takeUp(run), interrupt: (run) => interrupt(taken(run)) };
};

/** Whether the error means that no engine has the run. */
const isUnknown = (error: unknown): boolean =>
  isInterlockError(error, 'durable/no-engine') || isInterlockError(error, 'durable/no-run');

/** The log of such a run, with its stored lines. */
export const reopenLog = (
  { keepsContent, onChange }: Pick<RunStorage, 'keepsContent' | 'onChange'>,
  { summary, lines }: AdoptedRun,
): RunLog => {
  const { runId, agentId, threadId, userText, startedAt, parent } = summary;
  const head = { runId, agentId, threadId, userText, ...(parent && { parent }) };
  return createRunLog({ head, now: Date.now, keepsContent, onChange, before: { startedAt, lines } });
};

/** The continuation of such a run in this process. */
export const sessionOf = ({ summary: { threadId } }: AdoptedRun, agent: KnownAgent, log: RunLog): RunSession => ({
  agent,
  threadId,
  log,
  controller: new AbortController(),
  reopened: firstPlace,
});

/** The time of a run's last entry. */
const lastAt = (log: RunLog): number => {
  const last = log.linesFrom('entry', 0).at(-1);
  return last === undefined ? log.summary.startedAt : (JSON.parse(last) as StudioEntry).at; // this studio's own line
};

/** The reason for a run's failure. */
export const errorOf = (error: unknown): NonNullable<RunSummary['error']> => ({
  message: error instanceof Error ? error.message : String(error),
  ...(isInterlockError(error) && { code: error.code }),
});
