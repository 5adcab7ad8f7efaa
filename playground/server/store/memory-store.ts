import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { RunSummary } from '../../protocol/runs.js';
import { defaultBounds, type RunQuery, type RunStore, type StoreBounds } from './run-store.js';

interface KeptRun {
  summary: RunSummary;
  words: string;
  lines: string[];
  bytes: number;
}

/** Keeps runs for as long as the process lives. */
export const openMemoryStore = (bounds: StoreBounds = {}): RunStore => {
  const { maxRuns, maxBytes } = { ...defaultBounds, ...bounds };
  const runs = new Map<string, KeptRun>(); // oldest first
  const conversations = new Map<string, readonly MastraDBMessage[]>();
  const forgetOldest = () => {
    const sum = () => [...runs.values()].reduce((bytes, run) => bytes + run.bytes, 0);
    while (runs.size > maxRuns || (runs.size > 1 && sum() > maxBytes)) {
      const [[runId, { summary }]] = runs as unknown as [[string, KeptRun]]; // there is one
      runs.delete(runId);
      if (![...runs.values()].some((run) => run.summary.threadId === summary.threadId)) conversations.delete(summary.threadId);
    }
  };
  return {
    save: async (records) => {
      for (const { summary, words, from, lines } of records) {
        const run = runs.get(summary.runId) ?? { summary, words, lines: [], bytes: 0 };
        runs.set(summary.runId, Object.assign(run, { summary, words }));
        run.lines.splice(from, run.lines.length, ...lines);
        run.bytes += lines.reduce((bytes, line) => bytes + Buffer.byteLength(line), 0);
      }
      forgetOldest();
    },
    find: async (runId) => runs.get(runId)?.summary,
    list: async (query) => {
      const found = [...runs.values()].toReversed().filter(({ summary, words }) => isWanted(query, summary, words));
      const at = query.before === undefined ? 0 : found.findIndex(({ summary }) => summary.runId === query.before) + 1;
      const page = found.slice(at, at + query.limit).map(({ summary }) => summary);
      const last = page.at(-1);
      return { runs: page, ...(at + page.length < found.length && last && { next: last.runId }) };
    },
    lines: async (runId, from, limit) => runs.get(runId)?.lines.slice(from, from + limit) ?? [],
    readConversation: async (threadId) => conversations.get(threadId) ?? [],
    writeConversation: async (threadId, messages) => void conversations.set(threadId, messages),
    close: async () => undefined,
  };
};

const isWanted = (query: RunQuery, summary: RunSummary, words: string): boolean =>
  (query.status === undefined || summary.status === query.status) &&
  (query.agent === undefined || summary.agentId === query.agent) &&
  (query.thread === undefined || summary.threadId === query.thread) &&
  (query.guard === undefined || summary.guards.includes(query.guard)) &&
  (query.text === undefined || words.toLowerCase().includes(query.text.toLowerCase()));
