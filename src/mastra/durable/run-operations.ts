import { needed, type Board, type Pinned, type PersistedRun, type ProgramRuns } from '../../durable/journal.js';
import { runIdOf, segmentId, segmentNumber, type PersistedCall } from './persisted-segment.js';
import type { WaitingRun, PersistedRunStatus, RunFilter } from './operation-options.js';
import { decode } from '../../loop/state/encode.js';

/** An entry of an agent's list of durable runs. */
export type RunSummary = (WaitingRun | { readonly runId: string; readonly status: PersistedRun['state'] }) & {
  readonly resourceId?: string;
  readonly startedAt?: Date;
  readonly endedAt?: Date;
};

const defaultLimit = 100;

/** The runs of an agent on an engine, as it stores them. */
export interface StoredRuns {
  readonly runs: ProgramRuns;
  readonly board: Board;
  /** Pauses for about this time, by default one polling interval. */
  readonly pause: (ms?: number) => Promise<void>;
}

/** The runs of an agent, most recent first. An engine that cannot list its runs returns only the waiting ones. */
export const listRuns = async (context: StoredRuns, filter: RunFilter): Promise<readonly RunSummary[]> => {
  const { runId, resourceId, limit = defaultLimit, startedBefore, startedAfter } = filter;
  const statuses = filter.status === undefined ? undefined : new Set<PersistedRunStatus>([filter.status].flat());
  const isWanted = ({ status, startedAt, ...run }: RunSummary): boolean =>
    (!statuses || statuses.has(status)) &&
    (runId === undefined || run.runId === runId) &&
    (resourceId === undefined || run.resourceId === resourceId) &&
    !(startedBefore && startedAt && startedAt >= startedBefore) &&
    !(startedAfter && startedAt && startedAt <= startedAfter);
  return (await summaries(context, filter)).filter(isWanted).slice(0, limit);
};

const summaries = async ({ runs, board }: StoredRuns, filter: RunFilter): Promise<RunSummary[]> => {
  const notes = await board.pinned();
  if (!runs.list) return notes.flatMap(({ note }) => readIndexEntry(note));
  const notesOf = Map.groupBy(notes, (note) => runIdOf(note.runId));
  const segments = Map.groupBy(await listedSegments(runs.list, filter), (run) => runIdOf(run.runId));
  const found = [...segments].map(([runId, rows]) => summaryOf(runId, rows, notesOf.get(runId)));
  return found.toSorted((one, other) => (other.startedAt?.getTime() ?? 0) - (one.startedAt?.getTime() ?? 0));
};

/** The segments of one run, or of all. */
const listedSegments = async (
  list: NonNullable<ProgramRuns['list']>,
  { runId, resourceId }: RunFilter,
): Promise<readonly PersistedRun[]> => {
  if (runId === undefined) return list({ resourceId });
  const found: PersistedRun[] = [];
  for (;;) {
    const segment = await list({ runId: segmentId(runId, found.length), resourceId });
    if (segment.length === 0) return found;
    found.push(...segment);
  }
};

const isLater = (one: PersistedRun, than: PersistedRun): boolean => segmentNumber(one.runId) > segmentNumber(than.runId);

/** The summary of a run: status from its last segment, start and owner from its first. */
const summaryOf = (runId: string, rows: readonly PersistedRun[], notes: readonly Pinned[] = []): RunSummary => {
  const { resourceId, startedAt } = rows.reduce((one, other) => (isLater(one, other) ? other : one));
  const last = rows.reduce((one, other) => (isLater(other, one) ? other : one));
  const times = { startedAt, ...(resourceId !== undefined && { resourceId }) };
  const isUnderWay = last.state === 'queued' || last.state === 'running';
  const awaited = segmentId(runId, segmentNumber(last.runId) + 1);
  const waits = ({ runId: id }: Pinned): boolean =>
    (isUnderWay && id === last.runId) || (last.state !== 'lost' && id === awaited);
  const [waiting] = notes.filter(waits).flatMap(({ note }) => readIndexEntry(note)); // other notes came too late
  if (waiting) return { ...waiting, ...times };
  return { runId, status: last.state, ...times, ...(last.endedAt && last.state === 'ended' && { endedAt: last.endedAt }) };
};

/**
 * Deletes the stored data of runs that ended before a time. Returns their number. Suspended runs remain, although their last
 * segment has ended.
 */
export const prune = async (context: StoredRuns, olderThan: Date): Promise<number> => {
  const { runs, board } = context;
  const list = needed(runs.list, 'prune');
  const ended = Map.groupBy(await list({ endedBefore: olderThan }), ({ runId }) => runIdOf(runId));
  const waiting = new Set((await board.pinned()).map(({ runId: id }) => id));
  let pruned = 0;
  for (const [runId, segments] of ended) {
    if (waiting.has(segmentId(runId, segments.length))) continue;
    if ((await runs.find(segmentId(runId, segments.length))).kind !== 'absent') continue; // a later segment is running, or ended later
    await dropRun(context, runId, segments);
    pruned += 1;
  }
  return pruned;
};

const dropRun = async ({ runs, board }: StoredRuns, runId: string, segments: readonly PersistedRun[]): Promise<void> => {
  const drop = needed(runs.drop, 'prune');
  for (const number of [...segments.keys(), segments.length]) await board.pin(segmentId(runId, number), undefined);
  await board.drop?.(runId);
  for (const { runId: id } of segments.toSorted((one, other) => segmentNumber(other.runId) - segmentNumber(one.runId)))
    await drop(id); // the first segment last
};

/** The number of checks for the end of runs that will be erased. */
const maxChecks = 200;

/** The result of erasing runs. */
export interface Erased {
  readonly erased: number;
  /** Runs that have not ended, because no process runs them: they are canceled; erase them later. */
  readonly remaining: readonly string[];
}

/** Cancels the runs of a resource, and deletes all their stored data. */
export const erase = async (
  context: StoredRuns,
  resourceId: string,
  cancel: (runId: string) => Promise<void>,
): Promise<Erased> => {
  const list = needed(context.runs.list, 'erase');
  const listed = async () => Map.groupBy(await list({ resourceId }), ({ runId }) => runIdOf(runId));
  for (const runId of (await listed()).keys()) await cancel(runId);
  const erased = new Set<string>(); // an engine may list a run for a moment longer
  for (let remaining = maxChecks; ; remaining -= 1) {
    const segments = await listed();
    const isUnderWay = ({ state }: PersistedRun): boolean => state === 'queued' || state === 'running';
    for (const [runId, rows] of segments) {
      if (rows.some(isUnderWay)) continue;
      await dropRun(context, runId, rows);
      erased.add(runId);
    }
    if (segments.size === 0 || remaining === 0)
      return { erased: erased.size, remaining: [...segments.keys()].filter((runId) => !erased.has(runId)) };
    await context.pause();
  }
};

/** Metrics of an agent's durable runs, across all its processes, as far as the engine can list its runs. */
export interface RunMetrics {
  /** Runs that wait in a queue, in a process or in the engine. */
  readonly queued: number;
  /** Runs that are active. */
  readonly running: number;
  /** Runs that wait for a person, or for other code. */
  readonly waiting: number;
  /** Run segments that this process continued after another process, or an earlier attempt, had stopped. */
  readonly recovered: number;
  /** Runs that the engine has given up. */
  readonly lost: number;
  /** The age of the oldest run that has not ended and does not wait for a person; 0 without such a run. */
  readonly oldestAgeMs: number;
  /** The size of the engine's storage in bytes, for all agents together. Undefined if the engine cannot measure it. */
  readonly journalBytes?: number;
}

/** Parses the index entry of a waiting run. */
export const readIndexEntry = (text: string): (WaitingRun & Pick<PersistedCall, 'deadlineAt'>)[] => {
  try {
    return [decode(text) as WaitingRun]; // written by encodeWaiting or publishChange
  } catch {
    return []; // a damaged note does not hide other runs
  }
};
