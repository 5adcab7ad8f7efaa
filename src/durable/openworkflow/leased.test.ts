import { OpenWorkflow } from 'openworkflow';
import type { Backend } from 'openworkflow/internal';
import { BackendSqlite } from 'openworkflow/sqlite';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { databaseOf, leaseTable, leased } from './leased.js';
import { boardOn, persistedSteps, runWriter } from './tables.js';
import { openFile } from './open-file.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const leaseMs = 1_000;

/** Processes of one file, each with a connection of its own. */
const processesOn = () => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-leases-'));
  const path = join(folder, 'runs.db');
  const file = openFile(path);
  const open = () => {
    const sqlite = BackendSqlite.connect(path, { namespaceId: 'program' });
    const table = leaseTable(sqlite, 'program');
    const process = leased(sqlite, leaseMs, table);
    const claim = async () => (await process.backend.claimWorkflowRun({ workerId: 'worker', leaseDurationMs: 30_000 }))?.id;
    onTestFinished(() => process.backend.stop());
    return { ...process, sqlite, table, claim };
  };
  const first = open();
  const client = new OpenWorkflow({ backend: first.sqlite });
  const workflow = client.defineWorkflow({ name: 'program' }, async () => '');
  onTestFinished(() => {
    file.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { first, open, begin: async () => (await workflow.run()).workflowRun.id };
};

/** Simulates a full disk: statements that write fail, those that read do not. */
const fill = (sqlite: BackendSqlite, isFull: boolean): void =>
  databaseOf(sqlite).exec(`PRAGMA query_only = ${isFull ? 'on' : 'off'}`);

describe('leased', () => {
  beforeEach(
    () =>
      void vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
  );
  afterEach(() => void vi.useRealTimers());
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  it('claims a run only after its process has been dead for a lease', async () => {
    const { first, open, begin } = processesOn();
    const id = await begin();
    expect(await first.claim()).toBe(id);
    const second = open();
    await pass(5 * leaseMs);
    expect([await first.claim(), await second.claim()]).toEqual([undefined, undefined]);
    first.leases.stop();
    await pass(leaseMs / 2);
    expect(await second.claim()).toBeUndefined();
    await pass(leaseMs);
    expect(await second.claim()).toBe(id);
  });

  it.each([
    ['an hour ahead', 3_600_000],
    ['an hour back', -3_600_000],
  ])('does not claim the run of a live process if the clock jumps %s', async (_, jump) => {
    const { first, open, begin } = processesOn();
    await begin();
    await first.claim();
    const second = open();
    await pass(leaseMs);
    vi.setSystemTime(Date.now() + jump);
    for (let looks = 0; looks < 12; looks += 1) {
      expect([await first.claim(), await second.claim()]).toEqual([undefined, undefined]);
      await pass(leaseMs / 4);
    }
    expect(await begin()).toBe(await second.claim());
  });

  it('claims no run of a live process under a stopped clock, and still claims the run of a dead one', async () => {
    const { first, open, begin } = processesOn();
    const id = await begin();
    await first.claim();
    const second = open();
    const stopped = Date.now();
    const passStopped = async () => {
      await pass(leaseMs / 4);
      vi.setSystemTime(stopped);
    };
    for (let looks = 0; looks < 12; looks += 1) await passStopped();
    expect([await first.claim(), await second.claim()]).toEqual([undefined, undefined]);
    first.leases.stop();
    for (let looks = 0; looks < 6; looks += 1) await passStopped();
    expect(await second.claim()).toBe(id);
  });

  it('claims no run while the disk is full for longer than a lease, and stores step results once there is space', async () => {
    const { first, open, begin } = processesOn();
    const workflowRunId = await begin();
    await first.claim();
    const second = open();
    const [steps, writer] = [persistedSteps(databaseOf(first.sqlite)), runWriter(databaseOf(first.sqlite), 'program')];
    for (const { sqlite } of [first, second]) fill(sqlite, true);
    const persisted = first.written(() =>
      writer.write({ workflowRunId, workerId: 'worker' }, { step: { key: 'tool', text: 'paid' } }),
    );
    await pass(5 * leaseMs);
    fill(second.sqlite, false);
    expect([await first.claim(), await second.claim()]).toEqual([undefined, undefined]);
    fill(first.sqlite, false);
    await pass(2 * leaseMs);
    await persisted;
    expect([await first.claim(), await second.claim(), steps(workflowRunId)]).toEqual([
      undefined,
      undefined,
      [{ key: 'tool', text: 'paid' }],
    ]);
  });

  it('stores a step together with its records or not at all, and adds no record twice', async () => {
    const { first, begin } = processesOn();
    const lease = { workflowRunId: await begin(), workerId: 'worker' };
    await first.claim();
    const db = databaseOf(first.sqlite);
    const [{ write }, steps, board] = [runWriter(db, 'program'), persistedSteps(db), boardOn(db, 'program')];
    const unwritable = { text: 'b', mark: Symbol('no text') as never };
    const failing = { step: { key: 'one', text: 'kept' }, append: { runId: 'run', entries: [{ text: 'a' }, unwritable] } };
    expect(() => write(lease, failing)).toThrow(/cannot be bound/);
    expect([steps(lease.workflowRunId), await board.read('run', 0)]).toEqual([[], []]);
    expect(write(lease, { append: { runId: 'run', entries: [{ text: 'start', mark: 'life' }] } })).toBe(0);
    const append = { runId: 'run', at: 1, entries: [{ text: 'a' }, { text: 'b' }] };
    write(lease, { append }); // the answer is lost, and the same records come with their step
    write(lease, { step: { key: 'one', text: 'kept' }, append: { ...append, entries: [...append.entries, { text: 'c' }] } });
    expect(await board.read('run', 0)).toEqual(['start', 'a', 'b', 'c']);
    expect(await board.marked('run', 'life')).toEqual([{ place: 0, text: 'start' }]);
    const transactions = vi.spyOn(db, 'exec');
    write(lease, { step: { key: 'two', text: 'alone' } });
    expect(transactions).not.toHaveBeenCalled(); // one statement
    expect(steps(lease.workflowRunId)).toEqual([
      { key: 'one', text: 'kept' },
      { key: 'two', text: 'alone' },
    ]);
  });

  it('rejects writes of a paused process after a takeover, and does not treat others as dead after a pause', async () => {
    const { first, open, begin } = processesOn();
    const workflowRunId = await begin();
    await first.claim();
    first.leases.stop();
    const second = open();
    await pass(3 * leaseMs);
    expect(await second.claim()).toBe(workflowRunId);
    databaseOf(second.sqlite).exec("UPDATE workflow_runs SET worker_id = 'second'"); // each worker has an id of its own
    const [lease, late] = [
      { workflowRunId, workerId: 'worker' },
      { runId: 'run', entries: [{ text: 'late' }] },
    ];
    const [lost, owner] = [first, second].map(({ sqlite }) => runWriter(databaseOf(sqlite), 'program'));
    const step = { key: 'tool', text: 'late' };
    for (const act of [() => lost?.check(lease), () => lost?.write(lease, { step }), () => lost?.write(lease, { append: late })])
      expect(act).toThrow('taken the run over');
    expect(owner?.write({ ...lease, workerId: 'second' }, { append: late })).toBe(0);
    const third = open();
    vi.setSystemTime(Date.now() + 60_000); // the whole machine was paused
    vi.advanceTimersByTime(leaseMs / 4);
    expect(await third.claim()).toBeUndefined();
  });

  it('retries a write until the file is available, but not after a takeover', async () => {
    const { first } = processesOn();
    const answers: (Error | string)[] = [
      Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR' }),
      Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR' }),
      'kept',
      new Error('Another process has taken the run over.'),
    ];
    const write = vi.fn(() => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    });
    const persisted = first.written(write);
    await pass(10_000);
    expect([await persisted, write.mock.calls.length]).toEqual(['kept', 3]);
    await expect(first.written(write)).rejects.toThrow('taken the run over');
    expect(write).toHaveBeenCalledTimes(4);
  });

  it('looks for free runs once if the worker asks for all of its free places', async () => {
    const { first, begin } = processesOn();
    const claim = vi.spyOn(first.table, 'claim');
    expect(await Promise.all([first.claim(), first.claim(), first.claim()])).toEqual([undefined, undefined, undefined]);
    expect(claim).toHaveBeenCalledTimes(1);
    const id = await begin();
    expect(await first.claim()).toBe(id);
  });

  it('ignores lease extensions of the worker', async () => {
    const { first, begin } = processesOn();
    const workflowRunId = await begin();
    await first.claim();
    const before = first.table.claimed();
    const own: Backend = first.backend;
    await own.extendWorkflowRunLease({ workflowRunId, workerId: 'worker', leaseDurationMs: 30_000 });
    expect(first.table.claimed()).toEqual(before);
  });
});
