import type { GuardsNews, GuardsObserver, GuardedRun } from '../../../src/trace/observers.js';
import type { RunOutcome } from '../../protocol/runs.js';
import { entryOfEvent } from './entries-of-trace.js';
import { createRunLog, type RunStorage, type RunLog } from './run-log.js';

interface WatchingGuards extends RunStorage {
  readonly watched: Map<string, RunLog>;
  /** The log of a run that was started here and is now calling its guards. */
  readonly current: () => RunLog | undefined;
}

/** Milliseconds without news after which such a run counts as over; later news is added to its stored lines. */
const quietMs = 60_000;

/** Records the reports of guards in another host's loop. */
export const watchGuards = (watching: WatchingGuards): GuardsObserver => {
  const timers = new WeakMap<RunLog, NodeJS.Timeout>();
  const expectMore = (log: RunLog): void => {
    clearTimeout(timers.get(log));
    timers.set(log, setTimeout(() => void close(watching, log), quietMs).unref());
  };
  return (run, news) => {
    const started = run.parent ? undefined : watching.current(); // guards in a tool belong to a separate run
    const log = started ?? watching.watched.get(run.runId) ?? openLog(watching, run, news);
    addEntries(log, run, news);
    if (started) return;
    const outcome = endOf(news);
    if (outcome) log.add({ kind: 'status', ...outcome });
    expectMore(log);
  };
};

const openLog = (
  { watched, keepsContent, onChange }: WatchingGuards,
  { runId, agentId, host, pipelineId, parent }: GuardedRun,
  news: GuardsNews,
): RunLog => {
  const userText = (news.kind === 'asked' && news.userText) || `guards of ${pipelineId}`;
  const head = { runId, agentId: agentId ?? host, threadId: runId, userText, ...(parent && { parent }) };
  const log = createRunLog({ head, now: Date.now, keepsContent, onChange });
  watched.set(runId, log);
  if (news.kind === 'asked' && news.userText)
    log.add({ kind: 'input', messages: [{ id: runId, role: 'user', text: news.userText }] });
  log.add({ kind: 'status', status: 'observed' });
  return log;
};

const addEntries = (log: RunLog, { pipelineId }: GuardedRun, news: GuardsNews): void => {
  if (news.kind === 'event') return log.add(entryOfEvent(news.event));
  const { phase, lane, stepNumber } = news;
  log.add({ kind: 'asked', phase, lane, stepNumber, attempt: 1, pipelineId });
};

/** A guard that blocks ends the run of every host. */
const endOf = (news: GuardsNews): RunOutcome | undefined => {
  if (news.kind !== 'event' || news.event.type !== 'guard' || news.event.verdict !== 'trip') return undefined;
  const { processorId, phase, path, reason = '', metadata } = news.event;
  return { status: 'tripwire', tripwire: { processorId, phase, path, reason, ...(metadata !== undefined && { metadata }) } };
};

const close = async ({ watched, onOver }: WatchingGuards, log: RunLog): Promise<void> => {
  log.close();
  await onOver(log);
  watched.delete(log.runId);
};
