import type { Mastra } from '@mastra/core/mastra';
import { InterlockError } from '../../src/index.js';
import { openTrace } from './runs/record-run.js';
import { observeGuards } from './runs/observe-guards.js';
import { observeRuns } from '../../src/trace/observers.js';
import type { RunSummary } from '../protocol/runs.js';
import { describeLibrary, type Examples, type Library } from './catalog/catalog.js';
import { readKnown, suspendedRuns, type Known } from './catalog/known.js';
import { createRunDesk, type RunDesk } from './runs/run-desk.js';
import type { AdoptedRun } from './runs/adopt-run.js';
import { createArchive, type Archive } from './store/archive.js';
import type { LineQuery, RunStore } from './store/run-store.js';

/** The parts that the routes work on. */
export interface Studio {
  readonly library: Library;
  readonly examples: Examples;
  readonly store: RunStore;
  readonly archive: Archive;
  readonly desk: RunDesk;
  readonly content: 'all' | 'released';
  readonly announcer: Announcer<RunSummary>;
  /** The currently registered agents and pipelines. */
  known(): Promise<Known>;
  /** Takes over the runs of a process that is gone. Called once, before the first request. */
  takeUp(): Promise<void>;
  close(): Promise<void>;
}

export interface StudioParts {
  readonly mastra: Mastra;
  readonly store: RunStore;
  readonly examples?: Examples;
  /**
   * Selects the stored text: `all` includes text that no guard released, and the studio shows it on request; `released` omits it.
   * Default `'all'`.
   */
  readonly content?: 'all' | 'released';
  /** Whether runs that the application starts itself are observed. Default: outside of production. */
  readonly observe?: boolean;
  /** Called when the store cannot be written. Default: a warning of the process. */
  readonly onStoreFailure?: (error: unknown) => void;
}

/** Creates a studio for a Mastra instance and a store. */
export const createStudio = ({ mastra, store, examples = {}, content = 'all', ...rest }: StudioParts): Studio => {
  const { observe = mastra.getEnvironment() !== 'production', onStoreFailure = warn } = rest;
  const archive = createArchive(store, onStoreFailure);
  const announcer = createAnnouncer<RunSummary>();
  const desk = createRunDesk({
    keepsContent: content === 'all',
    conversations: { read: store.readConversation, write: store.writeConversation },
    onChange: (log) => {
      archive.schedule(log);
      announcer.announce(log.runId, () => log.summary);
    },
    findSuspended: (runId) => findSuspended({ mastra, store, archive }, runId),
    onOver: () => archive.flush().catch(() => undefined), // reported to onStoreFailure
  });
  const observing = observe ? [observeRuns(desk.record, openTrace), observeGuards(desk.watchGuards)] : [];
  return {
    library: describeLibrary(),
    examples,
    store,
    archive,
    content,
    desk,
    announcer,
    known: () => readKnown(mastra),
    takeUp: () => takeUp({ mastra, store }, desk),
    close: async () => {
      for (const stop of observing) stop();
      await desk.close();
      await archive.flush().catch(() => undefined); // as above
      await store.close();
    },
  };
};

/** All the lines of a run. */
export const allLines = { from: 0, limit: Number.MAX_SAFE_INTEGER } as const;

/** A suspended run, if its agent's engine stores it. */
const findSuspended = async (
  { archive, ...parts }: SuspendedLookup & Pick<Studio, 'archive'>,
  runId: string,
): Promise<AdoptedRun | undefined> => {
  const summary = await archive.find(runId);
  const isPersisted = summary?.status === 'suspended' && (await suspendedRuns(parts.mastra)).has(runId);
  return isPersisted ? adoptedRun(parts, summary) : undefined;
};

/** Follows runs under way if their engine continues them; suspended runs can be answered if their engine stores them. */
const takeUp = async ({ mastra, store }: SuspendedLookup, desk: RunDesk): Promise<void> => {
  const abandoned = await store.abandoned();
  const suspended = abandoned.length > 0 ? await suspendedRuns(mastra) : undefined;
  for (const summary of abandoned) {
    const { runId, status, error } = summary;
    if (status === 'running') desk.takeUp(await adoptedRun({ mastra, store }, summary));
    else if (!error && !suspended?.has(runId)) desk.interrupt(await adoptedRun({ mastra, store }, summary));
  }
};

type SuspendedLookup = Pick<StudioParts, 'mastra' | 'store'>;

const adoptedRun = async ({ mastra, store }: SuspendedLookup, summary: RunSummary): Promise<AdoptedRun> => {
  const { runId, agentId } = summary;
  const { agents } = await readKnown(mastra);
  const [entry = [], trace = []] = await Promise.all(
    (['entry', 'trace'] as const).map((kind) => store.lines({ runId, kind, ...allLines })),
  );
  return { summary, agent: agents.find(({ id }) => id === agentId), lines: { entry, trace } };
};

const warn = (error: unknown): void => process.emitWarning(error instanceof Error ? error : String(error));

/** A run that must exist. Raises `studio/not-found`. */
export const summaryOf = async ({ desk, archive }: Studio, runId: string): Promise<RunSummary> => {
  const summary = desk.find(runId)?.summary ?? (await archive.find(runId));
  if (!summary) throw new InterlockError('studio/not-found', { path: runId });
  return summary;
};

/** Lines of a run, from its log or the store. */
export const linesOf = async ({ desk, store }: Studio, query: LineQuery): Promise<readonly string[]> => {
  const { runId, kind, from, limit } = query;
  return desk.find(runId)?.linesFrom(kind, from).slice(0, limit) ?? store.lines(query);
};

/** Reports frequent changes to listeners, each value at most once per pause, and always its last state. */
interface Announcer<T> {
  announce(key: string, read: () => T): void;
  /** Adds a listener; returns a function that removes it. */
  listen(listener: (value: T) => void): () => void;
}

/** Milliseconds for which changes of a value are collected. */
const pauseMs = 100;

const createAnnouncer = <T>(): Announcer<T> => {
  const listeners = new Set<(value: T) => void>();
  const waiting = new Map<string, () => T>();
  let timer: NodeJS.Timeout | undefined;
  const notify = () => {
    timer = undefined;
    const values = [...waiting.values()].map((read) => read());
    waiting.clear();
    for (const value of values) for (const listener of listeners) listener(value);
  };
  return {
    announce: (key, read) => {
      if (listeners.size === 0) return;
      waiting.set(key, read);
      timer ??= setTimeout(notify, pauseMs).unref();
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
