import { randomUUID } from 'node:crypto';
import { TakenOver, type Board, type PersistedStep, type Program } from '../journal.js';
import { readTogether } from '../calls.js';
import { packBytes, unpackBytes } from '../packed.js';
import type { Database } from './database.js';
import type { Ledger } from '../ledger.js';
import type { StepStore } from '../stored-steps.js';

/** The records of a program's runs, in the database of the journals. */
export const boardOn = ({ query }: Pick<Database, 'query'>, program: string): Board => ({
  read: readingTogether(query, program),
  marked: async (runId, mark) => {
    const rows = await query<{ place: number; text: Buffer<ArrayBuffer> }>(
      'SELECT place, entry AS text FROM interlock.board WHERE program = $1 AND run_id = $2 AND mark = $3 ORDER BY place',
      [program, runId, mark],
    );
    return rows.map(({ place, text }) => ({ place, text: unpackBytes(text, `${runId} entry ${place}`) }));
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

/** Reads with one query for all readers. */
const readingTogether = (query: Database['query'], program: string): Board['read'] =>
  readTogether(async (places) => {
    const rows = await query<{ at: string; entry: Buffer<ArrayBuffer> }>(
      `SELECT at, entry FROM unnest($2::text[], $3::int[]) WITH ORDINALITY AS wanted (run_id, first, at)
       JOIN interlock.board USING (run_id) WHERE program = $1 AND place >= first ORDER BY at, place`,
      [program, places.map(([runId]) => runId), places.map(([, from]) => from)],
    );
    const byReader = Map.groupBy(rows, ({ at }) => Number(at) - 1);
    return places.map(async ([runId, from], index) =>
      (byReader.get(index) ?? []).map(({ entry }, place) => unpackBytes(entry, `${runId} entry ${from + place}`)),
    );
  });

/** True for the execution that has claimed the run last, while its process has the run in DBOS. */
const isHeld = `run_id = $1 AND owner = $2 AND EXISTS (
  SELECT 1 FROM dbos.workflow_status WHERE workflow_uuid = $1 AND status = 'PENDING' AND executor_id = $3)`;

/**
 * A step and records in one statement, so that it can be repeated. The lock of the owner's row lets a claim wait for a write under way, and
 * rejects a write after a claim.
 */
const writing = `
  WITH held AS (SELECT 1 FROM interlock.lives WHERE ${isHeld} FOR SHARE),
  kept AS (
    INSERT INTO interlock.steps (run_id, key, text) SELECT $1, $4::text, $5::bytea FROM held WHERE $4::text IS NOT NULL
    ON CONFLICT DO NOTHING),
  first AS (
    SELECT coalesce($8::int, (SELECT max(place) + 1 FROM interlock.board WHERE program = $6 AND run_id = $7), 0) AS place FROM held),
  added AS (
    INSERT INTO interlock.board SELECT $6, $7, first.place + at - 1, entry, mark
    FROM first, unnest($9::bytea[], $10::text[]) WITH ORDINALITY AS given (entry, mark, at)
    ON CONFLICT DO NOTHING)
  SELECT place FROM first`;

/**
 * Claims a run for an execution, with its stored steps. No earlier execution can write to the run afterwards. Raises `TakenOver`.
 *
 * @param executorId the process of the execution in DBOS
 */
export const claimSteps = async (
  { query }: Pick<Database, 'query'>,
  { workflowId, program, executorId }: Record<'workflowId' | 'program' | 'executorId', string>,
): Promise<StepStore & Pick<Ledger, 'countStart' | 'uncountStart'>> => {
  const owner = randomUUID();
  const execution = [workflowId, owner, executorId];
  await query(
    `INSERT INTO interlock.lives (run_id, owner) SELECT $1, $2 FROM dbos.workflow_status WHERE workflow_uuid = $1 AND executor_id = $3
     ON CONFLICT (run_id) DO UPDATE SET owner = excluded.owner`,
    execution,
  );
  const known = new Map((await storedSteps({ query }, workflowId)).map(({ key, text }) => [key, text]));
  let { size } = known;
  return {
    find: (key) => known.get(key),
    count: () => size,
    check: async () => {
      if ((await query(`SELECT 1 FROM interlock.lives WHERE ${isHeld}`, execution)).length === 0) throw new TakenOver();
    },
    write: async ({ step, append }) => {
      const texts = append?.entries.map(({ text }) => packBytes(text)) ?? [];
      const marks = append?.entries.map(({ mark }) => mark ?? null) ?? [];
      const [first] = await query<{ place: number }>(writing, [
        ...execution,
        step?.key ?? null,
        step ? packBytes(step.text) : null,
        program,
        append?.runId ?? '',
        append?.at ?? null,
        texts,
        marks,
      ]);
      if (!first) throw new TakenOver();
      if (step) size += 1;
      return first.place;
    },
    countStart: async (steps) => {
      const [row] = await query<{ deaths: number }>(
        `UPDATE interlock.lives SET deaths = CASE WHEN steps = $2 THEN deaths + 1 ELSE 0 END, steps = $2
         WHERE run_id = $1 AND owner = $3 RETURNING deaths`,
        [workflowId, steps, owner],
      );
      return row?.deaths ?? 0;
    },
    uncountStart: async () => {
      await query('UPDATE interlock.lives SET deaths = deaths - 1 WHERE run_id = $1 AND owner = $2', [workflowId, owner]);
    },
  };
};

/** The stored steps of a run, in their order. */
export const storedSteps = async ({ query }: Pick<Database, 'query'>, workflowId: string): Promise<PersistedStep[]> => {
  const rows = await query<{ key: string; text: Buffer<ArrayBuffer> }>(
    'SELECT key, text FROM interlock.steps WHERE run_id = $1 ORDER BY at',
    [workflowId],
  );
  return rows.map(({ key, text }) => ({ key, text: unpackBytes(text, key) }));
};

/** Remembers that a program's runs are encrypted. Raises `durable/unreadable` for the same program without encryption. */
export type Checking = (database: Pick<Database, 'query'>, program: Program) => Promise<void>;
