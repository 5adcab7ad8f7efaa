import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InterlockError } from '../../../src/errors.js';
import { checkIntegration } from '../../../src/integration.js';
import { openLibsqlStore } from './libsql-store.js';
import { type RunStore, type StoreBounds, beyondBounds, bytesOf, pageOf, type LineKind, type RunQuery } from './run-store.js';
import type { StoredMessage } from '../runs/conversations.js';
import type { RunSummary } from '../../protocol/runs.js';

export interface StoreOptions extends StoreBounds {
  /** The file that stores runs; it is created if missing. Default: `'memory'`, without a file. */
  readonly file?: string;
}

/** Whether a path means a store without a file; `:memory:` is SQLite's name for it. */
export const isInMemory = (file: string): boolean => file === 'memory' || file === ':memory:';

/** Opens the store for the options. Raises `studio/unusable-file`, `install/unsupported-version`. */
export const openStore = async (options: StoreOptions): Promise<RunStore> => {
  const { file, maxRuns, maxBytes } = options;
  const bounds = { ...(maxRuns !== undefined && { maxRuns }), ...(maxBytes !== undefined && { maxBytes }) };
  if (file === undefined || isInMemory(file)) return openMemoryStore(bounds);
  checkIntegration('@libsql/client');
  try {
    mkdirSync(dirname(resolve(file)), { recursive: true });
    return await openLibsqlStore({ url: pathToFileURL(resolve(file)).href, ...bounds });
  } catch (cause) {
    throw new InterlockError('studio/unusable-file', {
      path: file,
      detail: cause instanceof Error ? cause.message : undefined,
      cause,
    });
  }
};

interface StoredRun {
  readonly summary: RunSummary;
  readonly words: string;
  readonly lines: Record<LineKind, string[]>;
  readonly bytes: number;
}

/** Stores runs for the lifetime of the process. */
export const openMemoryStore = (bounds: StoreBounds = {}): RunStore => {
  const runs = new Map<string, StoredRun>(); // oldest first
  const conversations = new Map<string, readonly StoredMessage[]>();
  const forget = ({ runId, threadId }: Pick<RunSummary, 'runId' | 'threadId'>) => {
    runs.delete(runId);
    if (![...runs.values()].some(({ summary }) => summary.threadId === threadId)) conversations.delete(threadId);
  };
  return {
    save: async (records) => {
      for (const record of records) {
        const { summary, words, news } = record;
        const { lines, bytes } = runs.get(summary.runId) ?? { lines: { entry: [], trace: [] }, bytes: 0 };
        for (const kind of ['entry', 'trace'] as const) lines[kind].splice(news[kind].from, Infinity, ...news[kind].lines);
        runs.set(summary.runId, { summary, words, lines, bytes: bytes + bytesOf(record) });
      }
      for (const { summary } of beyondBounds([...runs.values()], bounds)) forget(summary);
    },
    find: async (runId) => runs.get(runId)?.summary,
    list: async (query) => {
      const inOrder = [...runs.values()].toReversed().toSorted((a, b) => keyOf(b, query) - keyOf(a, query));
      const at = inOrder.findIndex(({ summary }) => summary.runId === query.before);
      const after = query.before === undefined ? inOrder : inOrder.slice(at === -1 ? Infinity : at + 1);
      const found = after.filter((run) => isWanted(query, run)).map(({ summary }) => summary);
      return pageOf(found.slice(0, query.limit + 1), query);
    },
    lines: async ({ runId, kind, from, limit }) => runs.get(runId)?.lines[kind].slice(from, from + limit) ?? [],
    abandoned: async () => [], // they end with the process
    readConversation: async (threadId) => conversations.get(threadId) ?? [],
    writeConversation: async (threadId, messages) => void conversations.set(threadId, messages),
    close: async () => undefined,
  };
};

/** The sort key of a run; by time they are already in order. */
const keyOf = ({ summary }: StoredRun, { sort = 'time' }: RunQuery): number =>
  sort === 'time' ? 0 : ((sort === 'duration' ? summary.durationMs : summary.tokens) ?? -1);

const isWanted = ({ status, agent, thread, parent, guard, text, since = 0 }: RunQuery, { summary, words }: StoredRun): boolean =>
  summary.startedAt >= since &&
  (status === undefined || summary.status === status) &&
  (agent === undefined || summary.agentId === agent) &&
  (thread === undefined || summary.threadId === thread) &&
  (parent === undefined || summary.parent?.runId === parent) &&
  (guard === undefined || summary.guards.includes(guard)) &&
  (text === undefined || words.includes(text.toLowerCase()));
