import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { EngineSpec } from '../../test/engines/engine-spec.js';

/** The current size of an engine's stored data; undefined if the engine deletes data by itself. */
export const storedBytes = async (spec: EngineSpec | undefined): Promise<number | undefined> => {
  switch (spec?.kind) {
    case 'openworkflow':
      return fileBytes(spec.path);
    case 'dbos':
      return databaseBytes(spec.systemDatabaseUrl);
    case 'restate':
    case undefined:
      return undefined;
    default:
      return spec satisfies never;
  }
};

/** The size of a file after its write-ahead log was merged into it. */
const fileBytes = (path: string): number => {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  return statSync(path).size;
};

const databaseBytes = async (connectionString: string): Promise<number> => {
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ bytes: string }>('SELECT pg_database_size(current_database()) AS bytes');
  await client.end();
  return Number(rows[0]?.bytes);
};
