import { execFileSync } from 'node:child_process';
import { chown, chmod, mkdtemp, rm } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { Client } from 'pg';

import { freePorts, startMortalServer, type MortalServer } from './mortal-server.js';

export interface PostgresServer extends MortalServer {
  /** The URL of a database with this name, existing or not. */
  urlOf(database: string): string;
}

/** The folder of PostgreSQL's programs: `PG_BIN`, or that of Debian's packages. */
const programs = (): string => {
  const [found] = globSync([join(process.env['PG_BIN'] ?? '', 'initdb'), '/usr/lib/postgresql/*/bin/initdb'])
    .toSorted()
    .toReversed();
  if (!found) throw new Error('PostgreSQL is not installed: apt-get install postgresql, or set PG_BIN to the folder of initdb.');
  return dirname(found);
};

const idOf = (flag: '-u' | '-g'): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));

/** PostgreSQL does not run as root: as root, its own user. */
const user = (): { uid?: number; gid?: number } => (process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {});

/** A PostgreSQL server on loopback, with a new cluster in a separate folder. */
export const startPostgresServer = async (): Promise<PostgresServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-postgres-'));
  const [port = 0] = await freePorts(1);
  const account = user();
  if (account.uid !== undefined && account.gid !== undefined) await chown(folder, account.uid, account.gid);
  await chmod(folder, 0o700);
  const data = join(folder, 'data');
  execFileSync(
    join(programs(), 'initdb'),
    ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync', '-E', 'UTF8', '--locale=C'],
    {
      cwd: folder,
      stdio: 'ignore',
      ...account,
    },
  );
  const urlOf = (database: string): string => `postgresql://postgres@127.0.0.1:${port}/${database}`;
  const server = await startMortalServer({
    command: join(programs(), 'postgres'),
    args: [
      '-D',
      data,
      '-p',
      String(port),
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      `unix_socket_directories=${folder}`,
      '-c',
      'max_connections=200',
    ],
    options: { cwd: folder, ...account },
    isReady: async () => {
      const client = new Client({ connectionString: urlOf('postgres') });
      client.on('error', () => undefined);
      try {
        await client.connect();
        await client.query('SELECT 1');
        return true;
      } catch {
        return false;
      } finally {
        await client.end().catch(() => undefined);
      }
    },
  });
  return {
    ...server,
    urlOf,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
