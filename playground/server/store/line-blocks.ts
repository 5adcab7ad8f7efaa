import type { Client, InStatement } from '@libsql/client';
import type { LineKind, LineQuery, Lines } from './run-store.js';

/**
 * Lines stand in blocks, one for each writing: a row for each line would keep the process busy for a tenth of a millisecond each. A block
 * is known by the number of its first line; JSON has no line ends.
 */
export const blocksTable = `CREATE TABLE IF NOT EXISTS blocks (runId TEXT NOT NULL, kind TEXT NOT NULL, seq INTEGER NOT NULL,
  lines TEXT NOT NULL, PRIMARY KEY (runId, kind, seq)) WITHOUT ROWID`;

/** No block has more lines, so that a few can be read without the rest. */
const mostLines = 1_000;

/** So many blocks are read at once. */
const blocksAtOnce = 8;

/** Statements that write lines. */
export const writingLines = (runId: string, kind: LineKind, { from, lines }: Lines): InStatement[] => {
  const statements: InStatement[] = [];
  for (let at = 0; at < lines.length; at += mostLines) {
    const sql = 'INSERT OR REPLACE INTO blocks (runId, kind, seq, lines) VALUES (?, ?, ?, ?)';
    statements.push({ sql, args: [runId, kind, from + at, lines.slice(at, at + mostLines).join('\n')] });
  }
  return statements;
};

/** Reads lines. */
export const readLines = async (client: Client, { runId, kind, from, limit }: LineQuery): Promise<string[]> => {
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

/** The number of the block in which a line stands. */
const blockOf = async (client: Client, { runId, kind, from }: Omit<LineQuery, 'limit'>): Promise<number | undefined> => {
  const sql = 'SELECT MAX(seq) AS seq FROM blocks WHERE runId = ? AND kind = ? AND seq <= ?';
  const seq = (await client.execute({ sql, args: [runId, kind, from] })).rows[0]?.['seq'];
  return typeof seq === 'number' ? seq : undefined;
};
