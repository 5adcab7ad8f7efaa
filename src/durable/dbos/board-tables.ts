import type { Board } from '../journal.js';
import type { Database } from './database.js';

/** What processes tell each other of runs, in the database of the journals. */
export const boardOn = ({ query }: Pick<Database, 'query'>, program: string): Board => ({
  append: async (runId, entries) => {
    await query(
      `INSERT INTO interlock.board
       SELECT $1, $2, coalesce((SELECT max(place) + 1 FROM interlock.board WHERE program = $1 AND run_id = $2), 0) + at - 1, entry
       FROM unnest($3::text[]) WITH ORDINALITY AS added (entry, at)`,
      [program, runId, entries],
    );
  },
  read: async (runId, from) => {
    const rows = await query<{ entry: string }>(
      'SELECT entry FROM interlock.board WHERE program = $1 AND run_id = $2 AND place >= $3 ORDER BY place',
      [program, runId, from],
    );
    return rows.map(({ entry }) => entry);
  },
  pin: async (runId, note) => {
    await (note === undefined
      ? query('DELETE FROM interlock.notes WHERE program = $1 AND run_id = $2', [program, runId])
      : query(
          `INSERT INTO interlock.notes VALUES ($1, $2, $3)
           ON CONFLICT (program, run_id) DO UPDATE SET note = excluded.note, pinned_at = now()`,
          [program, runId, note],
        ));
  },
  drop: async (runId) => {
    await query('DELETE FROM interlock.board WHERE program = $1 AND run_id = $2', [program, runId]);
  },
  pinned: async () => {
    const rows = await query<{ run_id: string; note: string }>(
      'SELECT run_id, note FROM interlock.notes WHERE program = $1 ORDER BY pinned_at DESC',
      [program],
    );
    return rows.map(({ run_id: runId, note }) => ({ runId, note }));
  },
});
