import type { AgentListSuspendedRunsOptions, AgentListSuspendedRunsResult } from '@mastra/core/agent';
import { InterlockError } from '../../errors.js';
import { waitingCalls } from '../../loop/tell-waiting.js';
import type { Run } from '../../loop/run.js';

/** Runs of an agent that rest in this process, by their ids. */
export interface SuspendedRuns {
  /** Follows a run that has begun: should it rest, it is kept. */
  follow(run: Run, ended: Promise<unknown>): void;
  /** A run that rests, or will in a moment. Raises `agent/no-suspended-run`. */
  find(runId: string): Promise<SuspendedRun>;
  /** {@link find}, or nothing where no such run rests here. */
  seek(runId: string): Promise<SuspendedRun | undefined>;
  /** Takes a run out, to go on with it: nobody else can. Raises `agent/no-suspended-run`. */
  take(suspended: SuspendedRun): void;
  /** The runs that rest, the last one first. */
  list(): readonly SuspendedRun[];
}

/** A run that rests. */
export interface SuspendedRun {
  readonly run: Run;
  readonly suspendedAt: Date;
}

interface Followed {
  readonly ended: Promise<SuspendedRun | undefined>;
}

/** So many runs are kept at most; with one more, the one that has rested longest is forgotten. */
const mostKept = 1_000;

/** Makes room for an agent's runs. */
export const createSuspendedRuns = (): SuspendedRuns => {
  const followed = new Map<string, Followed>();
  const resting = new Map<string, SuspendedRun>();
  const missing = (runId: string): InterlockError => new InterlockError('agent/no-suspended-run', { path: runId });
  const keep = (suspended: SuspendedRun): SuspendedRun => {
    resting.set(suspended.run.options.runId, suspended);
    const [eldest] = resting.keys();
    if (resting.size > mostKept && eldest !== undefined) resting.delete(eldest);
    return suspended;
  };
  const seek = async (runId: string): Promise<SuspendedRun | undefined> => {
    await followed.get(runId)?.ended; // whoever reads the stream learns of it a moment before the run rests
    return resting.get(runId);
  };
  return {
    seek,
    follow: (run, ended) => {
      const { runId } = run.options;
      const isKept = () => run.status === 'suspended' && waitingCalls(run).length > 0;
      const one: Followed = {
        ended: ended.then(() => {
          if (followed.get(runId) === one) followed.delete(runId);
          return isKept() ? keep({ run, suspendedAt: new Date(run.options.ports.wallClock()) }) : undefined;
        }),
      };
      followed.set(runId, one);
    },
    find: async (runId) => {
      const suspended = await seek(runId);
      if (!suspended) throw missing(runId);
      return suspended;
    },
    take: (suspended) => {
      const { runId } = suspended.run.options;
      if (resting.get(runId) !== suspended) throw missing(runId);
      resting.delete(runId);
    },
    list: () => [...resting.values()].toReversed(),
  };
};

/** The conversation that a run belongs to, as its messages say. */
export const threadOf = ({ list }: Run): { threadId?: string; resourceId?: string } => {
  const { threadId, resourceId } = list.get.input.db()[0] ?? {};
  return { threadId, resourceId };
};

/** A run that rests, as Mastra lists it. */
export type ListedRun = AgentListSuspendedRunsResult['runs'][number];

/** Of the runs that rest those that are asked for. */
export const listRuns = (resting: readonly ListedRun[], options: AgentListSuspendedRunsOptions): AgentListSuspendedRunsResult => {
  const { threadId, resourceId, fromDate, toDate, perPage = mostKept, page = 0 } = options;
  const runs = resting.filter((run) => {
    if (threadId !== undefined && threadId !== run.threadId) return false;
    if (resourceId !== undefined && resourceId !== run.resourceId) return false;
    return !(fromDate && run.suspendedAt < fromDate) && !(toDate && run.suspendedAt > toDate);
  });
  return { runs: runs.slice(page * perPage, (page + 1) * perPage), total: runs.length };
};

/** A run that rests, in the form in which Mastra lists it. */
export const toListed = ({ run, suspendedAt }: SuspendedRun): ListedRun => ({
  runId: run.options.runId,
  status: 'suspended',
  ...threadOf(run),
  suspendedAt,
  toolCalls: waitingCalls(run).map(({ kind, call: { toolCallId, toolName, args }, ...rest }) => ({
    toolCallId,
    toolName,
    requiresApproval: kind === 'approval',
    ...(kind === 'approval' && { args }),
    ...('suspension' in rest && { suspendPayload: rest.suspension.payload }),
  })),
});
