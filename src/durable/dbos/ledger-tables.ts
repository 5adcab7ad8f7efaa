import { TakenOver } from '../journal.js';
import { randomUUID } from 'node:crypto';
import { type Ledger } from '../ledger.js';
import type { Database } from './database.js';

/** The ledger of one execution of a run, in the tables next to those of DBOS. */
export const ledgerOf = ({ query }: Database, runId: string): Ledger => {
  const by = randomUUID();
  const find = async (part: string) => {
    const [row] = await query<{ text: string; by: string }>(
      'SELECT text, by FROM interlock.parts WHERE run_id = $1 AND part = $2',
      [runId, part],
    );
    return row;
  };
  return {
    find: async (part) => (await find(part))?.text,
    keep: async (part, text) => {
      await query('INSERT INTO interlock.parts VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING', [runId, part, text, by]);
      if ((await find(part))?.by !== by) throw new TakenOver();
    },
    ...deathCounts(query, runId),
  };
};

const deathCounts = (query: Database['query'], runId: string): Pick<Ledger, 'countStart' | 'uncountStart'> => ({
  countStart: async (steps) => {
    const [row] = await query<{ deaths: number }>(
      `INSERT INTO interlock.lives AS known VALUES ($1, $2, 0) ON CONFLICT (run_id) DO UPDATE
       SET deaths = CASE WHEN known.steps = excluded.steps THEN known.deaths + 1 ELSE 0 END, steps = excluded.steps
       RETURNING deaths`,
      [runId, steps],
    );
    return row?.deaths ?? 0;
  },
  uncountStart: async () => {
    await query('UPDATE interlock.lives SET deaths = deaths - 1 WHERE run_id = $1', [runId]);
  },
});

/** Deletes a run's ledger when the run has ended. */
export const forget = async ({ query }: Database, runId: string): Promise<void> => {
  for (const table of ['parts', 'lives', 'cancels']) await query(`DELETE FROM interlock.${table} WHERE run_id = $1`, [runId]);
};
