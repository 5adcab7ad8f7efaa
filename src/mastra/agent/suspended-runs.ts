import type { AgentListSuspendedRunsOptions, AgentListSuspendedRunsResult } from '@mastra/core/agent';
import { InterlockError } from '../../errors.js';
import { type Run, waitingCalls } from '../../loop/run.js';
import type { Suspension } from '../../loop/tool-call.js';

/** Suspended runs of an agent in this process, by their ids. */
export type SuspendedRuns = ReturnType<typeof createSuspendedRuns>;

/** A suspended run. */
interface SuspendedRun {
  readonly run: Run;
  readonly suspendedAt: Date;
  /** Whether another run with this id is suspended: both were started at the same time. An answer could reach the wrong one. */
  readonly isAmbiguous?: boolean;
}

interface Followed {
  /** The run, once it has its last chunk, if that says that it waits. */
  readonly suspended: () => SuspendedRun | undefined;
  readonly ended: Promise<SuspendedRun | undefined>;
}

/** Maximum number of runs kept. One more evicts the run that has been suspended longest. */
const maxSuspended = 1_000;

/** Creates an empty registry for an agent's runs. */
export const createSuspendedRuns = () => {
  const followed = new Map<string, Followed>();
  const suspendedRuns = new Map<string, SuspendedRun>();
  const missing = (runId: string): InterlockError => new InterlockError('agent/no-suspended-run', { path: runId });
  const invalid = (detail: string): InterlockError => new InterlockError('agent/invalid-option', { path: 'runId', detail });
  const keep = (suspended: SuspendedRun): SuspendedRun => {
    const { runId } = suspended.run.options;
    suspendedRuns.set(runId, { ...suspended, isAmbiguous: suspendedRuns.has(runId) });
    const [eldest] = suspendedRuns.keys();
    if (suspendedRuns.size > maxSuspended && eldest !== undefined) suspendedRuns.delete(eldest);
    return suspended;
  };
  /** A run that is suspended, or will be in a moment. */
  const seek = async (runId: string): Promise<SuspendedRun | undefined> => {
    await followed.get(runId)?.ended; // readers get the last chunk just before the run is suspended
    return suspendedRuns.get(runId);
  };
  return {
    seek,
    /** Raises `agent/invalid-option` for the id of a suspended run: the answer to that run would reach the new one. */
    checkNew: (runId = ''): void => {
      if (!suspendedRuns.has(runId) && !followed.get(runId)?.suspended()) return;
      throw invalid('a run with this id is suspended; resume it, or start one with another id.');
    },
    /** Follows a started run, and stores it if it suspends. */
    follow: (run: Run, ended: Promise<unknown>): void => {
      const { runId } = run.options;
      const suspended = (): SuspendedRun | undefined =>
        run.state.status === 'suspended' && waitingCalls(run).length > 0
          ? { run, suspendedAt: new Date(run.options.ports.wallClock()) }
          : undefined;
      const one: Followed = {
        suspended,
        ended: Promise.all([ended, followed.get(runId)?.ended]).then(() => {
          if (followed.get(runId) === one) followed.delete(runId);
          const last = suspended();
          return last && keep(last);
        }),
      };
      followed.set(runId, one);
    },
    /** {@link seek}. Raises `agent/no-suspended-run` without such a run here, and `agent/invalid-option` for several. */
    find: async (runId: string) => {
      const suspended = await seek(runId);
      if (!suspended) throw missing(runId);
      if (suspended.isAmbiguous)
        throw invalid('several runs with this id were started at the same time; start them with ids of their own.');
      return suspended;
    },
    /** Removes a run in order to resume it; no other caller can then resume it. Raises `agent/no-suspended-run`. */
    take: (suspended: SuspendedRun): void => {
      const { runId } = suspended.run.options;
      if (suspendedRuns.get(runId) !== suspended) throw missing(runId);
      suspendedRuns.delete(runId);
    },
    /** The suspended runs, most recent first, with those whose readers get the last chunk just now. */
    list: (): readonly SuspendedRun[] =>
      [...suspendedRuns.values(), ...[...followed.values()].flatMap((one) => one.suspended() ?? [])].toReversed(),
  };
};

/** The conversation of a run, from its messages. */
export const threadOf = ({ state: { list } }: Run): { threadId?: string; resourceId?: string } => {
  const { threadId, resourceId } = list.get.input.db()[0] ?? {};
  return { threadId, resourceId };
};

/** An entry of Mastra's list of suspended runs. */
type ListedRun = AgentListSuspendedRunsResult['runs'][number];

/** Filters and pages the suspended runs. */
export const listRuns = (
  suspendedRuns: readonly ListedRun[],
  options: AgentListSuspendedRunsOptions,
): AgentListSuspendedRunsResult => {
  const { threadId, resourceId, fromDate, toDate, perPage = maxSuspended, page = 0 } = options;
  const runs = suspendedRuns.filter((run) => {
    if (threadId !== undefined && threadId !== run.threadId) return false;
    if (resourceId !== undefined && resourceId !== run.resourceId) return false;
    return !(fromDate && run.suspendedAt < fromDate) && !(toDate && run.suspendedAt > toDate);
  });
  return { runs: runs.slice(page * perPage, (page + 1) * perPage), total: runs.length };
};

/** A suspended run as an entry of Mastra's list. */
export const toListed = ({ run, suspendedAt }: SuspendedRun): ListedRun => ({
  runId: run.options.runId,
  status: 'suspended',
  ...threadOf(run),
  suspendedAt,
  toolCalls: waitingCalls(run).map((waiting) => {
    const { toolCallId, toolName, args } = waiting.call;
    const waitsFor: Partial<Suspension> = waiting.kind === 'data' ? (waiting.displayed ?? waiting.suspension) : { approval: {} };
    const { payload, approval } = waitsFor;
    if (!approval) return { toolCallId, toolName, requiresApproval: false, suspendPayload: payload };
    const { toolName: innerName = toolName, args: innerArgs = args } = approval;
    return { toolCallId, toolName: innerName, requiresApproval: true, args: innerArgs };
  }),
});
