import type { Client, InStatement, InValue } from '@libsql/client';
import type { StoredMessage } from '../runs/conversations.js';
import type { RunSummary, RunSort } from '../../protocol/runs.js';
import {
  beyondBounds,
  bytesOf,
  pageOf,
  type RunRecord,
  type RunStore,
  type StoreBounds,
  type RunQuery,
  type LineKind,
  type LineQuery,
  type Lines,
} from './run-store.js';

/**
 * Lines are stored in blocks, one per write: a row for each line would keep the process busy for a tenth of a millisecond each.
 * A block is identified by the number of its first line; JSON has no line ends.
 */
const blocksTable = `CREATE TABLE IF NOT EXISTS blocks (runId TEXT NOT NULL, kind TEXT NOT NULL, seq INTEGER NOT NULL,
  lines TEXT NOT NULL, PRIMARY KEY (runId, kind, seq)) WITHOUT ROWID`;

/** The maximum number of lines in a block, so that a few can be read without the rest. */
const mostLines = 1_000;

/** The number of blocks per read. */
const blocksAtOnce = 8;

/** Statements that write lines. */
const writingLines = (runId: string, kind: LineKind, { from, lines }: Lines): InStatement[] => {
  const statements: InStatement[] = [];
  for (let at = 0; at < lines.length; at += mostLines) {
    const sql = 'INSERT OR REPLACE INTO blocks (runId, kind, seq, lines) VALUES (?, ?, ?, ?)';
    statements.push({ sql, args: [runId, kind, from + at, lines.slice(at, at + mostLines).join('\n')] });
  }
  return statements;
};

/** Reads lines. */
const readLines = async (client: Client, { runId, kind, from, limit }: LineQuery): Promise<string[]> => {
  const found: string[] = [];
  let next = await blockOf(client, { runId, kind, from });
  while (next !== undefined && found.length < limit) {
    const sql = 'SELECT seq, lines FROM blocks WHERE runId = ? AND kind = ? AND seq >= ? ORDER BY seq LIMIT ?';
    const { rows } = await client.execute({ sql, args: [runId, kind, next, blocksAtOnce] });
    for (const row of rows) found.push(...(row['lines'] as string).split('\n').slice(Math.max(0, from - Number(row['seq']))));
    const last = rows.at(-1);
    next = last && rows.length === blocksAtOnce ? Number(last['seq']) + 1 : undefined;
  }
  return found.slice(0, limit);
};

/** The number of the block that contains a line. */
const blockOf = async (client: Client, { runId, kind, from }: Omit<LineQuery, 'limit'>): Promise<number | undefined> => {
  const sql = 'SELECT MAX(seq) AS seq FROM blocks WHERE runId = ? AND kind = ? AND seq <= ?';
  const seq = (await client.execute({ sql, args: [runId, kind, from] })).rows[0]?.['seq'];
  return typeof seq === 'number' ? seq : undefined;
};

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

/** Stores runs in a LibSQL file. The optional peer `@libsql/client` must be installed. */
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
  const summaries = rows.map(({ runId, threadId, status, bytes }) => ({
    summary: { runId, threadId, status } as RunSummary, // the columns as written
    bytes: Number(bytes),
  }));
  const statements = beyondBounds(summaries, bounds).flatMap(({ summary: { runId, threadId } }): InStatement[] => [
    { sql: 'DELETE FROM blocks WHERE runId = ?', args: [runId] },
    { sql: 'DELETE FROM runs WHERE runId = ?', args: [runId] },
    {
      sql: 'DELETE FROM conversations WHERE threadId = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.threadId = ?)',
      args: [threadId, threadId],
    },
  ]);
  if (statements.length > 0) await client.batch(statements, 'write');
};

/** Whether a process with this id is alive; this process has just started. */
const isAlive = (pid: number): boolean => {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // the process belongs to another user
  }
};

/** A column that holds JSON of our own writing. */
const fromJson = (column: unknown): unknown => JSON.parse(column as string); // a column of text

/** Messages; the times of Mastra's are dates. */
const messagesFromJson = (column: unknown): StoredMessage[] =>
  (fromJson(column) as StoredMessage[]).map((message) =>
    'createdAt' in message ? { ...message, createdAt: new Date(message.createdAt) } : message,
  );

/** The sort keys of runs; unknown values come last. */
const sortKeys: Readonly<Record<RunSort, string>> = {
  time: 'position',
  duration: "coalesce(json_extract(summary, '$.durationMs'), -1)",
  tokens: "coalesce(json_extract(summary, '$.tokens'), -1)",
};

/** The statement for a page of runs plus one. */
const listStatement = (query: RunQuery): InStatement => {
  const { status, agent, thread, parent, guard, text, since, sort = 'time', before, limit } = query;
  const key = sortKeys[sort];
  const wanted: [string, InValue | undefined][] = [
    ['status = ?', status],
    ['agentId = ?', agent],
    ['threadId = ?', thread],
    ["json_extract(summary, '$.parent.runId') = ?", parent],
    ["EXISTS (SELECT 1 FROM json_each(summary, '$.guards') WHERE value = ?)", guard],
    ['instr(words, ?) > 0', text?.toLowerCase()],
    ["json_extract(summary, '$.startedAt') >= ?", since],
    [`(${key}, position) < (SELECT ${key}, position FROM runs WHERE runId = ?)`, before],
  ];
  const set = wanted.filter((condition): condition is [string, InValue] => condition[1] !== undefined);
  const whereClause = set.length > 0 ? `WHERE ${set.map(([condition]) => condition).join(' AND ')}` : '';
  return {
    sql: `SELECT summary FROM runs ${whereClause} ORDER BY ${key} DESC, position DESC LIMIT ?`,
    args: [...set.map(([, value]) => value), limit + 1],
  };
};
