import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { GuardsObserver } from '../../../src/trace/observers.js';
import type { AnswerCall, StartedRun, StartRun } from '../../protocol/runs.js';
import type { KnownAgent } from '../catalog/known.js';
import { InterlockError } from '../../../src/index.js';
import type { TraceRecorder, TraceSink } from '../../../src/replay.js';
import type { Conversations } from './conversations.js';
import { createRunLog, type RunStorage, type RunLog } from './run-log.js';
import { continuation, openLoop, withAnswer } from './loop-session.js';
import { watchGuards } from './watch-guards.js';
import { follow, openStream, resumeStream, type AgentStream, type Following, type RunSession } from './run-session.js';
import { reopenLog, sessionOf, errorOf, takingUp, type AdoptedRun, type TakingUp } from './adopt-run.js';
import type { TraceEntry } from '../../../schemas/index.js';

/** Starts, answers and cancels runs. It has the runs under way or suspended in this process. */
export interface RunDesk extends TakingUp {
  start(agent: KnownAgent, call: StartRun, open?: OpenRun): Promise<StartedRun>;
  /** Passes on a person's decision about the call that a run is suspended for; the same run continues. */
  answer(runId: string, call: AnswerCall): Promise<StartedRun>;
  /** Cancels a run. Does nothing if it is over. */
  cancel(runId: string): void;
  /** The log of a run that is under way or suspended in this process, or whose end is not stored yet. */
  find(runId: string): RunLog | undefined;
  /** Records the runs of an application: pass it to its agents as `record`. */
  readonly record: TraceRecorder;
  /** Records the reports of guards in another host's loop. */
  readonly watchGuards: GuardsObserver;
  /** Cancels all runs under way; settles when they have ended. */
  close(): Promise<void>;
}

/** Starts a run in another way than with the user's text. */
type OpenRun = (session: RunSession) => Promise<AgentStream>;

export interface RunDeskOptions extends RunStorage {
  readonly conversations: Conversations;
  /** Finds a suspended run that can be answered although it started in another process. */
  readonly findSuspended: (runId: string) => Promise<AdoptedRun | undefined>;
}

/** The log of the run under way: reports of Mastra's own agent's guards do not name their run. */
const startedHere = new AsyncLocalStorage<RunLog>();

export const createRunDesk = (options: RunDeskOptions): RunDesk => {
  const { conversations, onOver } = options;
  const sessions = new Map<string, RunSession>();
  const watched = new Map<string, RunLog>();
  const runs = new Set<Promise<void>>();
  const find = (runId: string): RunLog | undefined => sessions.get(runId)?.log ?? watched.get(runId);
  const finish = async (log: RunLog): Promise<void> => {
    log.close();
    await onOver(log);
    sessions.delete(log.runId);
    watched.delete(log.runId);
  };
  const followed = (session: RunSession, stream: AgentStream, read?: Following['read']): StartedRun => {
    const { log, threadId } = session;
    session.followed = startedHere.run(log, () => follow(session, stream, { conversations, read }));
    const done = session.followed.then(() => (isSuspended(session) ? undefined : finish(log))).finally(() => runs.delete(done));
    runs.add(done);
    return { runId: log.runId, threadId };
  };
  const start = async (session: RunSession, open: OpenRun): Promise<StartedRun> => {
    await endedTurns(sessions, session.threadId);
    try {
      return followed(session, await startedHere.run(session.log, () => open(session)));
    } catch (error) {
      session.log.add({ kind: 'status', status: 'failed', error: errorOf(error) });
      await finish(session.log);
      throw error;
    }
  };
  const begin = (opening: Opening, open: OpenRun): Promise<StartedRun> => {
    const session = openSession(options, opening);
    sessions.set(session.log.runId, session);
    return start(session, open);
  };
  return {
    start: (agent, { text, threadId = randomUUID() }, open) =>
      begin(
        { agent, text, threadId },
        open ?? (async (session) => openStream(session, await conversations.read(threadId), text)),
      ),
    answer: async (runId, call) => {
      const session = suspendedSession(sessions.get(runId) ?? (await reopen(options, runId)), runId);
      if (session.agent.loop) return answerLoop(session, call, { begin, finish });
      const stream = await resumeStream(session, call);
      sessions.set(runId, session); // a reopened run is registered from here on
      return followed(session, stream);
    },
    ...takingUp({ ...options, sessions, watched, finish, followed }),
    cancel: (runId) => cancelSession(sessions.get(runId), finish),
    find,
    record: watchRuns({ ...options, watched, isKnown: (runId) => find(runId) !== undefined }),
    watchGuards: watchGuards({ ...options, watched, current: () => startedHere.getStore() }),
    close: () => giveUp(sessions, runs),
  };
};

interface Continuing {
  begin(opening: Opening, open: OpenRun): Promise<StartedRun>;
  finish(log: RunLog): Promise<void>;
}

/** Notes an answer. Once each waiting call has one, another run continues, as in the AI SDK. */
const answerLoop = async (session: RunSession, call: AnswerCall, { begin, finish }: Continuing): Promise<StartedRun> => {
  const { agent, threadId, log, waiting } = session;
  const { loop } = agent;
  const answered = waiting && withAnswer(log, waiting, call);
  session.waiting = answered;
  if (!loop || !answered || isSuspended(session)) return { runId: log.runId, threadId };
  await finish(log);
  return begin({ agent, threadId, text: log.userText }, (next) => openLoop(next, loop, continuation(answered)));
};

const cancelSession = (session: RunSession | undefined, finish: Continuing['finish']): void => {
  if (!session) return;
  const { controller, log } = session;
  const isOverNow = isSuspended(session); // an answer can no longer reach it
  controller.abort(new Error('Canceled in the studio.'));
  if (!isOverNow) return;
  log.add({ kind: 'status', status: 'canceled' });
  void finish(log);
};

/** Cancels all runs under way. */
const giveUp = async (sessions: ReadonlyMap<string, RunSession>, runs: ReadonlySet<Promise<void>>): Promise<void> => {
  for (const { controller } of sessions.values()) controller.abort(new Error('The studio is closing.'));
  await Promise.allSettled(runs);
};

/** Settles when the turns that have ended are stored in their conversation. */
const endedTurns = async (sessions: ReadonlyMap<string, RunSession>, threadId: string): Promise<void> => {
  for (const session of sessions.values())
    if (session.threadId === threadId && session.log.summary.status !== 'running') await session.followed;
};

const isSuspended = ({ log }: RunSession): boolean => log.summary.status === 'suspended';

/** Prepares a suspended run for its continuation. Raises `studio/not-suspended`. */
const suspendedSession = (session: RunSession | undefined, runId: string): RunSession => {
  if (!session || !isSuspended(session)) throw new InterlockError('studio/not-suspended', { path: runId });
  session.controller = new AbortController();
  return session;
};

/** Adopts a suspended run of another process. */
const reopen = async (options: RunDeskOptions, runId: string): Promise<RunSession | undefined> => {
  const found = await options.findSuspended(runId);
  return found?.agent && sessionOf(found, found.agent, reopenLog(options, found));
};

interface Opening {
  readonly agent: KnownAgent;
  readonly text: string;
  readonly threadId: string;
}

/** A run that was requested and has no other entries yet. */
const openSession = ({ keepsContent, onChange }: RunDeskOptions, { agent, text, threadId }: Opening): RunSession => {
  const runId = randomUUID();
  const head = { runId, agentId: agent.id, threadId, userText: text };
  const log = createRunLog({ head, now: Date.now, keepsContent, onChange });
  return { agent, threadId, log, controller: new AbortController() };
};

interface Watching extends RunStorage {
  /** The runs under way or suspended, by their ids. */
  readonly watched: Map<string, RunLog>;
  /** Whether a run already has its log: it was started here, or has two recorders. */
  readonly isKnown: (runId: string) => boolean;
}

type Header = Parameters<TraceRecorder>[0];

/** Records runs that other code starts, from their first line to their last. */
const watchRuns =
  (watching: Watching): TraceRecorder =>
  (header): TraceSink => {
    let log: RunLog | undefined;
    return (entry) => {
      if (entry.kind === 'input' && !watching.isKnown(header.runId)) log = openLog(watching, header, entry);
      log?.trace(entry);
      if (log && entry.kind === 'result' && entry.status !== 'suspended') void closeLog(watching, log);
    };
  };

/** The title of a run is the caller's last message, which is in the line after the header. */
const openLog = (
  { watched, keepsContent, onChange }: Watching,
  header: Header,
  input: Extract<TraceEntry, { kind: 'input' }>,
): RunLog => {
  const { runId, agentId = 'agent', threadId = runId, parent } = header;
  const userText = input.messages.findLast(({ role }) => role === 'user')?.text ?? '';
  const log = createRunLog({
    head: { runId, agentId, threadId, userText, ...(parent && { parent }) },
    now: Date.now,
    keepsContent,
    onChange,
  });
  watched.set(runId, log);
  log.trace(header);
  return log;
};

const closeLog = async ({ watched, onOver }: Watching, log: RunLog): Promise<void> => {
  log.close();
  await onOver(log);
  watched.delete(log.runId);
};
