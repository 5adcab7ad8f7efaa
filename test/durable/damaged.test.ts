import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { describe, expect, it, onTestFinished } from 'vitest';

import { InterlockAgent, isInterlockError } from '../../src/index.js';
import type { Engine, ProgramRuns } from '../../src/engine.js';
import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { answerAll, approving } from './scenarios.js';

const prompt = 'Please charge me.';

const newFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-damaged-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'runs.db');
};

const agentOn = (path: string) => {
  const engine = openWorkflow({ path, leaseMs: 1_000 });
  onTestFinished(() => engine.close());
  return { engine, agent: approving().agent({ durability: engine }) };
};

/** A file with two runs that wait for an approval. */
const fileWithRuns = async (): Promise<string> => {
  const path = newFile();
  const { engine, agent } = agentOn(path);
  for (const runId of ['hurt', 'whole']) await agent.generate(prompt, { runId });
  await engine.close();
  return path;
};

const change = (path: string, sql: string): void => {
  const db = new DatabaseSync(path);
  expect(db.prepare(sql).run().changes).toBeGreaterThan(0);
  db.close();
};

const codeOf = async (call: Promise<unknown>) => {
  const error: unknown = await call.then(
    () => undefined,
    (one: unknown) => one,
  );
  return isInterlockError(error) ? { code: error.code, path: error.path } : error;
};

const garbage = `'{"not": ours'`;
const idOf = (run: string): string => `(SELECT workflow_run_id FROM interlock_runs WHERE run_id = '${run}')`;

describe('a damaged file', () => {
  it.each([
    ['the end of a run', `UPDATE workflow_runs SET output = '"garbage"' WHERE id = ${idOf('0:hurt')}`, '0:hurt output'],
    ['a chunk of a run', `UPDATE interlock_board SET entry = ${garbage} WHERE run_id = 'hurt' AND place = 2`, 'hurt entry 2'],
    [
      'the text of a chunk',
      `UPDATE interlock_board SET entry = substr(entry, 1, length(entry) - 20) WHERE run_id = 'hurt' AND place = 2`,
      'hurt entry 2',
    ],
  ])('%s: the error names the run, and other runs continue', async (_what, sql, path) => {
    const file = await fileWithRuns();
    change(file, sql);
    const { agent } = agentOn(file);
    const read = async () => (await agent.attach('hurt', { from: 0 })).getFullOutput();
    const found = await read().then(
      ({ error }) => error,
      (error: unknown) => error,
    );
    expect(found).toMatchObject({ code: 'durable/damaged', path });
    expect((await answerAll(agent, 'whole')).status).toBe('success');
  });

  it.each([
    ['start', 'begin'],
    ['first part', '0 input'],
  ])('a fork of a run with a damaged %s names it', async (_what, key) => {
    const file = await fileWithRuns();
    change(file, `UPDATE interlock_steps SET text = ${garbage} WHERE key = '${key}' AND workflow_run_id = ${idOf('0:hurt')}`);
    const { agent } = agentOn(file);
    expect(await codeOf(agent.fork('hurt'))).toEqual({ code: 'durable/damaged', path: `hurt ${key}` });
    expect(await (await agent.fork('whole')).getFullOutput()).toMatchObject({ status: 'suspended' });
  });

  it('a damaged note hides no other run', async () => {
    const file = await fileWithRuns();
    change(file, `UPDATE interlock_notes SET note = ${garbage} WHERE run_id = '1:hurt'`);
    const { agent } = agentOn(file);
    expect((await agent.listSuspendedRuns()).runs.map(({ runId }) => runId)).toEqual(['whole']);
    expect((await agent.listRuns()).map(({ runId }) => runId).toSorted()).toEqual(['hurt', 'whole']);
  });

  it('rejects an emptied or missing file, instead of silently losing its runs', async () => {
    const path = await fileWithRuns();
    truncateSync(path, 0);
    const empty = statSync(path);
    expect(() => agentOn(path)).toThrow(expect.objectContaining({ code: 'durable/damaged', path }));
    expect(statSync(path)).toMatchObject({ size: 0, ino: empty.ino });
    const missing = newFile();
    writeFileSync(`${missing}-wal`, 'what a killed process has written last');
    expect(() => agentOn(missing)).toThrow(expect.objectContaining({ code: 'durable/damaged', path: missing }));
    expect(statSync(`${missing}-wal`).size).toBeGreaterThan(0);
    rmSync(`${missing}-wal`);
    expect(await agentOn(missing).agent.listRuns()).toEqual([]);
    expect(readdirSync(dirname(missing)).toSorted()).toEqual(['runs.db', 'runs.db-shm', 'runs.db-wal']);
  });

  it('a truncated file and a foreign file are not reported as an unreachable server', async () => {
    const cut = await fileWithRuns();
    truncateSync(cut, statSync(cut).size - 3 * 4_096 - 1_000);
    const written = newFile();
    writeFileSync(written, 'Dear diary, this is no database.'.repeat(1_000));
    const headed = await fileWithRuns();
    truncateSync(headed, 4_096);
    for (const path of [cut, headed, written]) {
      const open = async () => {
        const { agent } = agentOn(path);
        await agent.listRuns();
        return (await agent.attach('whole', { from: 0 })).getFullOutput();
      };
      expect(await codeOf(open()), path).toEqual({ code: 'durable/damaged', path });
    }
  });
});

describe('a copy of a file in use', () => {
  it('by `backup` has all runs; a plain copy is rejected, whenever it is made', async () => {
    const path = newFile();
    const { engine, agent } = agentOn(path);
    const copies = ['early', 'late', 'again'].map((name) => `${path}.${name}`) as [string, string, string];
    copyFileSync(path, copies[0]);
    await agent.generate(prompt, { runId: 'one' });
    copyFileSync(path, copies[1]);
    await engine.backup(`${path}.backup`);
    await expect(engine.backup(`${path}.backup`)).rejects.toMatchObject({ code: 'durable/unreachable' });
    await engine.close();
    const next = agentOn(path); // the file that was closed is in use again
    copyFileSync(path, copies[2]);
    for (const copy of copies) expect(() => agentOn(copy), copy).toThrow(expect.objectContaining({ code: 'durable/damaged' }));
    const restored = agentOn(`${path}.backup`);
    for (const { agent: one } of [next, restored]) {
      expect((await one.listRuns()).map(({ runId, status }) => [runId, status])).toEqual([['one', 'suspended']]);
      expect((await answerAll(one, 'one')).status).toBe('success');
    }
    await restored.engine.close();
    copyFileSync(`${path}.backup`, `${path}.closed`);
    expect((await agentOn(`${path}.closed`).agent.listRuns()).map(({ status }) => status)).toEqual(['ended']);
  });
});

describe('an error of the driver of an engine', () => {
  const raw = Object.assign(new Error('relation "runs" does not exist'), { code: '42P01' });
  const fail = () => Promise.reject(raw);
  const runs: ProgramRuns = {
    start: fail,
    find: fail,
    cancel: fail,
    retry: fail,
    list: fail,
    drop: fail,
    storedBytes: fail,
    board: { read: fail, marked: fail, pin: fail, pinned: fail, drop: fail },
  };
  const callerOn = (host: Engine['host']) => {
    const durability: Engine = { name: 'broken', isDurable: true, host, close: async () => undefined };
    const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
    return new InterlockAgent({ id: 'caller', name: 'Caller', instructions: 'Answer.', model, durability });
  };

  it('reaches the caller as the cause of an error with a code that names the operation', async () => {
    const agent = callerOn(() => runs);
    const calls = {
      start: [agent.generate('Hi'), agent.stream('Hi')],
      find: [agent.attach('one'), agent.resume('one', {}), agent.cancel('one'), agent.retry('one')],
      list: [
        agent.prune({ olderThan: new Date() }),
        agent.erase({ resourceId: 'ann' }),
        agent.attach('one', { resourceId: 'ann' }),
      ],
      pinned: [agent.listRuns(), agent.listSuspendedRuns()],
    };
    for (const [operation, made] of Object.entries(calls))
      for (const one of await Promise.allSettled<unknown>(made))
        expect(one).toMatchObject({
          status: 'rejected',
          reason: { code: 'durable/engine-failed', path: `broken.${operation}`, cause: raw, status: 503 },
        });
    expect(await codeOf(agent.runMetrics())).toMatchObject({ code: 'durable/engine-failed' });
  });

  it('is wrapped in the same way while the agent is created', () => {
    const broken = () => {
      throw raw;
    };
    expect(() => callerOn(broken)).toThrow(
      expect.objectContaining({ code: 'durable/engine-failed', path: 'broken', cause: raw }),
    );
  });
});
