import type { InStatement, InValue } from '@libsql/client';
import type { RunSort } from '../../protocol/runs.js';
import type { RunQuery } from './run-store.js';

/** What runs are sorted by; what is not known yet comes last. */
const sortKeys: Readonly<Record<RunSort, string>> = {
  time: 'position',
  duration: "coalesce(json_extract(summary, '$.durationMs'), -1)",
  tokens: "coalesce(json_extract(summary, '$.tokens'), -1)",
};

/** The statement that finds a page of runs, and one run more. */
export const listStatement = (query: RunQuery): InStatement => {
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
  const where = set.length > 0 ? `WHERE ${set.map(([condition]) => condition).join(' AND ')}` : '';
  return {
    sql: `SELECT summary FROM runs ${where} ORDER BY ${key} DESC, position DESC LIMIT ?`,
    args: [...set.map(([, value]) => value), limit + 1],
  };
};
