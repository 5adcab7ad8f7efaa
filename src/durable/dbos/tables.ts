import { randomUUID } from 'node:crypto';

import { type Board, type PlacedEntry, TakenOver } from '../journal.js';
import { readTogether } from '../calls.js';
import type { Database } from './database.js';
import type { Ledger } from '../ledger.js';

/** A row as `pg` returns it. */
type PlacedRow = { -readonly [Name in keyof PlacedEntry]: PlacedEntry[Name] };

/** Messages between processes about runs, in the database of the journals. */
export const boardOn = ({ query }: Pick<Database, 'query'>, program: string): Board => ({
  append: async (runId, entries, life) => {
    // The query is repeated if its answer is lost: then the entries are there, and the first of them names the append.
    const rows = await query<{ place: number | null }>(
      `WITH known AS (SELECT place FROM interlock.board WHERE program = $1 AND run_id = $2 AND append = $6),
       added AS (
         INSERT INTO interlock.board
         SELECT $1, $2, coalesce((SELECT max(place) + 1 FROM interlock.board WHERE program = $1 AND run_id = $2), 0) + at - 1, entry,
           mark, CASE WHEN at = 1 THEN $6 END
         FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS given (entry, mark, at)
         WHERE NOT EXISTS (SELECT 1 FROM known) AND ($5::int IS NULL OR NOT EXISTS (
           SELECT 1 FROM interlock.board WHERE program = $1 AND run_id = $2 AND mark = 'life' AND place > $5))
         RETURNING place)
       SELECT coalesce((SELECT place FROM known), (SELECT min(place) FROM added)) AS place`,
      [program, runId, entries.map(({ text }) => text), entries.map(({ mark }) => mark ?? null), life ?? null, randomUUID()],
    );
    const [first] = rows;
    if (typeof first?.place !== 'number') throw new TakenOver();
    return first.place;
  },
  read: readingTogether(query, program),
  marked: async (runId, mark) =>
    query<PlacedRow>(
      'SELECT place, entry AS text FROM interlock.board WHERE program = $1 AND run_id = $2 AND mark = $3 ORDER BY place',
      [program, runId, mark],
    ),
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

/** Reads with one query for all readers. */
const readingTogether = (query: Database['query'], program: string): Board['read'] =>
  readTogether(async (places) => {
    const rows = await query<{ at: string; entry: string }>(
      `SELECT at, entry FROM unnest($2::text[], $3::int[]) WITH ORDINALITY AS wanted (run_id, first, at)
       JOIN interlock.board USING (run_id) WHERE program = $1 AND place >= first ORDER BY at, place`,
      [program, places.map(([runId]) => runId), places.map(([, from]) => from)],
    );
    const byReader = Map.groupBy(rows, ({ at }) => Number(at) - 1);
    return places.map((_, index) => (byReader.get(index) ?? []).map(({ entry }) => entry));
  });

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
