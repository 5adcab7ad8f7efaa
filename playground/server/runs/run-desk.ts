import { randomUUID } from 'node:crypto';
import type { AnswerCall, RunSummary, StartedRun, StartRun } from '../../protocol/runs.js';
import type { KnownAgent } from '../catalog/known.js';
import { InterlockError, type TraceRecorder } from '../../../src/index.js';
import type { Conversations } from './conversations.js';
import { createRunLog, type Keeping, type KeptRun, type RunLog } from './run-log.js';
import { watchRuns } from './watch-runs.js';
import { firstPlace, follow, openStream, resumeStream, type AgentStream, type Sitting } from './sitting.js';

/** Where runs are started, answered and canceled. It knows those that go on or rest in this process. */
export interface RunDesk {
  start(agent: KnownAgent, call: StartRun): Promise<StartedRun>;
  /** Says what a person decided about a call that a run rests for; the same run goes on. */
  answer(runId: string, call: AnswerCall): Promise<StartedRun>;
  /** Gives a run up. Nothing happens to one that is over. */
  cancel(runId: string): void;
  /** The log of a run that goes on or rests in this process, or whose end is not written down yet. */
  find(runId: string): RunLog | undefined;
  /** Takes in the runs of an application, to be given to its agents as `record`. */
  readonly record: TraceRecorder;
  /** Gives up everything that goes on; settles when it has ended. */
  close(): Promise<void>;
}

/** A run that rests, and whose process is gone. */
export interface RestingRun {
  readonly summary: RunSummary;
  readonly agent: KnownAgent;
  readonly lines: KeptRun['lines'];
}

export interface RunDeskOptions extends Keeping {
  readonly conversations: Conversations;
  /** Finds a run that rests and can be answered though it began in another process. */
  readonly findResting: (runId: string) => Promise<RestingRun | undefined>;
}

/** Opens the desk. */
export const createRunDesk = (options: RunDeskOptions): RunDesk => {
  const { conversations, onOver } = options;
  const sittings = new Map<string, Sitting>();
  const watched = new Map<string, RunLog>();
  const going = new Set<Promise<void>>();
  const finish = async (log: RunLog): Promise<void> => {
    log.close();
    await onOver(log);
    sittings.delete(log.runId);
  };
  const followed = (sitting: Sitting, stream: AgentStream): StartedRun => {
    const { log, threadId } = sitting;
    const done = follow(sitting, stream, conversations)
      .then(() => (isResting(sitting) ? undefined : finish(log)))
      .finally(() => going.delete(done));
    going.add(done);
    return { runId: log.runId, threadId };
  };
  const begin = async (sitting: Sitting, text: string): Promise<StartedRun> => {
    const { log, threadId } = sitting;
    try {
      return followed(sitting, await openStream(sitting, await conversations.read(threadId), text));
    } catch (error) {
      log.add({ kind: 'status', status: 'failed', error: { message: error instanceof Error ? error.message : String(error) } });
      await finish(log);
      throw error;
    }
  };
  const cancel = (sitting: Sitting): void => {
    const { controller, log } = sitting;
    const isOverNow = isResting(sitting); // nobody could answer it any more
    controller.abort(new Error('Canceled in the studio.'));
    if (!isOverNow) return;
    log.add({ kind: 'status', status: 'canceled' });
    void finish(log);
  };
  return {
    start: (agent, { text, threadId = randomUUID() }) => {
      const sitting = openSitting(options, { agent, text, threadId });
      sittings.set(sitting.log.runId, sitting);
      return begin(sitting, text);
    },
    answer: async (runId, call) => {
      const sitting = restingOne(sittings.get(runId) ?? (await reopen(options, runId)), runId);
      const stream = await resumeStream(sitting, call);
      sittings.set(runId, sitting); // a reopened one is known from here on
      return followed(sitting, stream);
    },
    cancel: (runId) => {
      const sitting = sittings.get(runId);
      if (sitting) cancel(sitting);
    },
    find: (runId) => sittings.get(runId)?.log ?? watched.get(runId),
    record: watchRuns({ ...options, watched }),
    close: async () => {
      for (const { controller } of sittings.values()) controller.abort(new Error('The studio is closing.'));
      await Promise.allSettled(going);
    },
  };
};

const isResting = ({ log }: Sitting): boolean => log.summary.status === 'suspended';

/** Makes ready to go on. Raises `studio/not-suspended`. */
const restingOne = (sitting: Sitting | undefined, runId: string): Sitting => {
  if (!sitting || !isResting(sitting)) throw new InterlockError('studio/not-suspended', { path: runId });
  sitting.controller = new AbortController();
  return sitting;
};

/** Takes up a run that another process left resting. */
const reopen = async ({ findResting, keepsContent, onChange }: RunDeskOptions, runId: string): Promise<Sitting | undefined> => {
  const found = await findResting(runId);
  if (!found) return undefined;
  const { summary, agent, lines } = found;
  const { agentId, threadId, said, startedAt } = summary;
  const head = { runId, agentId, threadId, said };
  const log = createRunLog({ head, now: Date.now, keepsContent, onChange, before: { startedAt, lines } });
  return { agent, threadId, log, controller: new AbortController(), reopened: firstPlace };
};

interface Opening {
  readonly agent: KnownAgent;
  readonly text: string;
  readonly threadId: string;
}

/** A run of which nothing has happened but that it was asked for. */
const openSitting = ({ keepsContent, onChange }: RunDeskOptions, { agent, text, threadId }: Opening): Sitting => {
  const runId = randomUUID();
  const head = { runId, agentId: agent.id, threadId, said: text };
  const log = createRunLog({ head, now: Date.now, keepsContent, onChange });
  return { agent, threadId, log, controller: new AbortController() };
};
