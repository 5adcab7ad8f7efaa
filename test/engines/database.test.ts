import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from 'pg';

import { openDatabase, type Database } from '../../src/durable/dbos/database.js';
import { dbos } from '../../src/durable/dbos/index.js';
import { boardOn, claimSteps, storedSteps } from '../../src/durable/dbos/tables.js';
import { startWorker } from './processes.js';
import { startPostgresServer, type PostgresServer } from './servers/postgres-server.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgresServer();
});
afterAll(() => server.stop());

it('rolls back a transaction if the connection ends between two queries, and stays usable', async () => {
  const database = await openDatabase(server.urlOf('postgres'));
  await database.query('INSERT INTO interlock.processes (id, beat) VALUES ($1, 1)', ['gone']);
  const struck = database.strikeOff('gone', async () => {
    await database.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = $1', ['idle in transaction']);
    await new Promise((resolve) => setTimeout(resolve, 200)); // the server reports that it has ended the connection
  });
  await expect(struck).rejects.toThrow(/connection/i);
  expect(await database.query('SELECT id FROM interlock.processes')).toEqual([{ id: 'gone' }]);
  await database.close();
});

it('a step and its records whose answer was lost are stored once, and never after another claim', async () => {
  const database = await openDatabase(server.urlOf('claims'));
  await database.query('CREATE SCHEMA dbos');
  await database.query('CREATE TABLE dbos.workflow_status (workflow_uuid TEXT, status TEXT, executor_id TEXT)');
  await database.query("INSERT INTO dbos.workflow_status VALUES ('one', 'PENDING', 'here')");
  const twice: Database['query'] = async (sql, values) => {
    await database.query(sql, values);
    return database.query(sql, values);
  };
  const [board, run] = [boardOn(database, 'echo'), { workflowId: 'one', program: 'echo', executorId: 'here' }];
  const first = await claimSteps({ query: twice }, run);
  const append = { runId: 'run', at: 2, entries: [{ text: 'a' }, { text: 'b', mark: 'step' as const }] };
  await first.write({ append: { runId: 'run', entries: [{ text: 'life', mark: 'life' }] } }); // twice: a reader ignores the first
  await first.write({ append });
  await first.write({ step: { key: 'begin', text: 'kept' }, append: { ...append, entries: [...append.entries, { text: 'c' }] } });
  expect(await board.read('run', 0)).toEqual(['life', 'life', 'a', 'b', 'c']);
  const second = await claimSteps(database, run);
  expect([await second.find('begin'), second.count()]).toEqual(['kept', 1]);
  const late = [first.check(), first.write({ append: { ...append, at: 5 } }), first.write({ step: { key: 'late', text: '' } })];
  await Promise.all(late.map((one) => expect(one).rejects.toMatchObject({ name: 'TakenOver' })));
  await second.check();
  await database.query("UPDATE dbos.workflow_status SET executor_id = 'elsewhere'"); // another process has it
  await expect(second.check()).rejects.toMatchObject({ name: 'TakenOver' });
  await expect(claimSteps(database, run).then((third) => third.check())).rejects.toMatchObject({ name: 'TakenOver' });
  expect((await storedSteps(database, 'one')).map(({ key }) => key)).toEqual(['begin']);
  await database.close();
});

it('is created by processes that start at the same time, without an error in their logs', async () => {
  const engine = { kind: 'dbos', systemDatabaseUrl: server.urlOf('first start') } as const;
  const workers = [1, 2, 3].map(() => startWorker({ modelUrl: '', sinkUrl: '', engine }));
  await Promise.all(workers.map(({ there }) => there));
  for (const worker of workers) worker.kill();
  expect(await Promise.all(workers.map(async ({ died }) => (await died).errors))).toEqual(['', '', '']);
});

it('launches without the lock of a process that does not return it', async () => {
  const url = server.urlOf('postgres');
  const database = await openDatabase(url);
  const lost = new Client({ connectionString: url });
  await lost.connect();
  await database.alone(async () => {
    const { rows } = await lost.query<{ key: string }>(`
      SELECT (classid::bigint << 32 | objid::bigint)::text AS key FROM pg_locks WHERE locktype = 'advisory' AND granted`);
    expect(rows).toHaveLength(1);
    void lost.query('SELECT pg_advisory_lock($1)', [rows[0]?.key]); // is next
  });
  const isHeld = async () => (await database.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted")).length;
  await expect.poll(isHeld).toBe(1);
  let isLaunched = false;
  await database.alone(async () => void (isLaunched = true));
  expect(isLaunched).toBe(true);
  await lost.end();
  await database.close();
});

it('continues the run of a process that died before its first heartbeat', async () => {
  const systemDatabaseUrl = server.urlOf('no heartbeat');
  const engine = dbos({ systemDatabaseUrl, leaseMs: 1_000 });
  let executions = 0;
  const runs = engine.host({ id: 'counted', run: async () => String((executions += 1)) });
  await runs.start({ runId: 'one', input: '' });
  await expect.poll(() => runs.find('one'), { timeout: 60_000 }).toEqual({ kind: 'ended', output: '1' });
  const database = await openDatabase(systemDatabaseUrl);
  await database.query(
    `UPDATE dbos.workflow_status SET status = 'PENDING', output = NULL, completed_at = NULL, executor_id = 'gone', owner_xid = 'gone'`,
  );
  expect(await runs.find('one')).toEqual({ kind: 'running' });
  await expect.poll(() => runs.find('one'), { timeout: 20_000 }).toEqual({ kind: 'ended', output: '2' });
  await database.close();
  await engine.close();
});
