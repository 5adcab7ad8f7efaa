import type { InStatement, InValue } from '@libsql/client';
import type { RunQuery } from './run-store.js';

/** The statement that finds a page of runs, and one run more. */
export const listStatement = (query: RunQuery): InStatement => {
  const { status, agent, thread, guard, text, before, limit } = query;
  const wanted: [string, InValue | undefined][] = [
    ['status = ?', status],
    ['agentId = ?', agent],
    ['threadId = ?', thread],
    ["EXISTS (SELECT 1 FROM json_each(summary, '$.guards') WHERE value = ?)", guard],
    ['instr(words, ?) > 0', text?.toLowerCase()],
    ['position < (SELECT position FROM runs WHERE runId = ?)', before],
  ];
  const set = wanted.filter((condition): condition is [string, InValue] => condition[1] !== undefined);
  const where = set.length > 0 ? `WHERE ${set.map(([condition]) => condition).join(' AND ')}` : '';
  return {
    sql: `SELECT summary FROM runs ${where} ORDER BY position DESC LIMIT ?`,
    args: [...set.map(([, value]) => value), limit + 1],
  };
};
