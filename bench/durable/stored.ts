import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Client, escapeIdentifier } from 'pg';
import type { EngineSpec } from '../../test/engines/engine-spec.js';

/** The stored data of an engine. */
export interface Stored {
  readonly rows: number;
  readonly bytes: number;
}

/** The current size of an engine's stored data; undefined if the engine deletes data by itself. */
export const stored = async (spec: EngineSpec | undefined): Promise<Stored | undefined> => {
  switch (spec?.kind) {
    case 'openworkflow':
      return inFile(spec.path);
    case 'dbos':
      return inDatabase(spec.systemDatabaseUrl);
    case 'restate':
    case undefined:
      return undefined;
    default:
      return spec satisfies never;
  }
};

/** A file after its write-ahead log was merged into it. */
const inFile = (path: string): Stored => {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  let rows = 0;
  for (const { name } of db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all())
    rows += Number(db.prepare(`SELECT count(*) AS rows FROM "${String(name)}"`).get()?.['rows']);
  db.close();
  return { rows, bytes: statSync(path).size };
};

const inDatabase = async (connectionString: string): Promise<Stored> => {
  const client = new Client({ connectionString });
  await client.connect();
  const sizes = await client.query<{ bytes: string }>('SELECT pg_database_size(current_database()) AS bytes');
  const tables = await client.query<{ schema: string; name: string }>(
    `SELECT schemaname AS schema, tablename AS name FROM pg_tables WHERE schemaname IN ('dbos', 'interlock')`,
  );
  let rows = 0;
  for (const { schema, name } of tables.rows) {
    const counted = await client.query<{ rows: string }>(
      `SELECT count(*) AS rows FROM ${escapeIdentifier(schema)}.${escapeIdentifier(name)}`,
    );
    rows += Number(counted.rows[0]?.rows);
  }
  await client.end();
  return { rows, bytes: Number(sizes.rows[0]?.bytes) };
};
