import type { Client, InStatement } from '@libsql/client';
import type { RunSummary } from '../../protocol/runs.js';
import { fromJson, messagesFromJson } from './from-json.js';
import { blocksTable, readLines, writingLines } from './line-blocks.js';
import { listStatement } from './list-statement.js';
import { beyondBounds, bytesOf, pageOf, type RunRecord, type RunStore, type StoreBounds } from './run-store.js';

export interface LibsqlStoreOptions extends StoreBounds {
  /** The file, e.g. `file:studio.db`. */
  readonly url: string;
}

const tables = [
  `CREATE TABLE IF NOT EXISTS runs (position INTEGER PRIMARY KEY, runId TEXT UNIQUE NOT NULL, threadId TEXT NOT NULL,
    agentId TEXT NOT NULL, status TEXT NOT NULL, summary TEXT NOT NULL, words TEXT NOT NULL, bytes INTEGER NOT NULL, pid INTEGER NOT NULL)`,
  blocksTable,
  'CREATE TABLE IF NOT EXISTS conversations (threadId TEXT PRIMARY KEY, messages TEXT NOT NULL)',
];

/** Keeps runs in a LibSQL file. The optional peer `@libsql/client` must be installed. */
export const openLibsqlStore = async ({ url, ...bounds }: LibsqlStoreOptions): Promise<RunStore> => {
  const { createClient } = await import('@libsql/client');
  const client = createClient({ url });
  await client.execute('PRAGMA journal_mode = WAL');
  await client.execute('PRAGMA synchronous = NORMAL');
  await client.batch(tables, 'write');
  const summaries = async (statement: InStatement): Promise<RunSummary[]> =>
    (await client.execute(statement)).rows.map(({ summary }) => fromJson(summary) as RunSummary);
  return {
    save: async (records) => {
      await client.batch(records.flatMap(savingStatements), 'write');
      await forgetOldest(client, bounds);
    },
    find: async (runId) => (await summaries({ sql: 'SELECT summary FROM runs WHERE runId = ?', args: [runId] }))[0],
    list: async (query) => pageOf(await summaries(listStatement(query)), query),
    lines: (query) => readLines(client, query),
    abandoned: async () => {
      const { rows } = await client.execute(
        "SELECT summary, pid FROM runs WHERE status IN ('running', 'suspended') ORDER BY position",
      );
      return rows.filter(({ pid }) => !isAlive(Number(pid))).map(({ summary }) => fromJson(summary) as RunSummary);
    },
    readConversation: async (threadId) => {
      const { rows } = await client.execute({ sql: 'SELECT messages FROM conversations WHERE threadId = ?', args: [threadId] });
      return rows[0] ? messagesFromJson(rows[0]['messages']) : [];
    },
    writeConversation: async (threadId, messages) => {
      const sql = 'INSERT OR REPLACE INTO conversations (threadId, messages) VALUES (?, ?)';
      await client.execute({ sql, args: [threadId, JSON.stringify(messages)] });
    },
    close: async () => client.close(),
  };
};

const savingStatements = (record: RunRecord): InStatement[] => {
  const { summary, words, news } = record;
  const { runId, threadId, agentId, status } = summary;
  const own = [threadId, agentId, status, JSON.stringify(summary), words, process.pid];
  const saved: InStatement = {
    sql: `INSERT INTO runs (runId, threadId, agentId, status, summary, words, pid, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (runId) DO UPDATE SET status = excluded.status, summary = excluded.summary, words = excluded.words,
      pid = excluded.pid, bytes = bytes + excluded.bytes`,
    args: [runId, ...own, bytesOf(record)],
  };
  return [saved, ...writingLines(runId, 'entry', news.entry), ...writingLines(runId, 'trace', news.trace)];
};

const forgetOldest = async (client: Client, bounds: StoreBounds): Promise<void> => {
  const { rows } = await client.execute('SELECT runId, threadId, status, bytes FROM runs ORDER BY position');
  const kept = rows.map(({ runId, threadId, status, bytes }) => ({
    summary: { runId, threadId, status } as RunSummary, // the columns are what was written
    bytes: Number(bytes),
  }));
  const statements = beyondBounds(kept, bounds).flatMap(({ summary: { runId, threadId } }): InStatement[] => [
    { sql: 'DELETE FROM blocks WHERE runId = ?', args: [runId] },
    { sql: 'DELETE FROM runs WHERE runId = ?', args: [runId] },
    {
      sql: 'DELETE FROM conversations WHERE threadId = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.threadId = ?)',
      args: [threadId, threadId],
    },
  ]);
  if (statements.length > 0) await client.batch(statements, 'write');
};

/** Whether another process of this number lives; this one has just begun. */
const isAlive = (pid: number): boolean => {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it is somebody else's
  }
};
