import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';

import { expect, it, onTestFinished, vi } from 'vitest';

import { openFile } from '../../src/durable/openworkflow/open-file.js';
import { runTables } from '../../src/durable/openworkflow/tables.js';
import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { memoryEngine } from '../../src/index.js';
import type { Board } from '../../src/durable/journal.js';
import type { Engine, Program } from '../../src/engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { approving } from './scenarios.js';

/** An engine on which another caller acts just before a start. */
const interposing = (engine: Engine, act: (runId: string) => Promise<unknown>): Engine => ({
  ...engine,
  host: (program) => {
    const runs = engine.host(program);
    return {
      ...runs,
      start: async (call) => {
        await act(call.runId);
        return runs.start(call);
      },
    };
  },
});

/** An agent with one call that waits for an approval, and an answer after it. */
const paying = (durability: Engine) => {
  const model = scriptedModel({ steps: [{ toolCalls: [{ name: 'charge', args: { amount: 1 } }] }, { text: 'All is paid.' }] });
  return approving().agent({ model, durability });
};

it('a caller gets each callback once, if its process takes a moment to announce the run', async () => {
  const engine = memoryEngine();
  const host: Engine['host'] = (program) => {
    const { board, ...runs } = engine.host(program);
    const pin: Board['pin'] = async (...args) => {
      await setTimeout(300); // longer than a caller's pause
      await board?.pin(...args);
    };
    return { ...runs, ...(board && { board: { ...board, pin } }) };
  };
  const agent = paying({ ...engine, host });
  await agent.generate('Please charge me.', { runId: 'one' });
  await expect.poll(() => agent.listSuspendedRuns()).toMatchObject({ total: 1 });
  const onFinish = vi.fn();
  expect(await agent.resumeGenerate({ approved: true }, { runId: 'one', onFinish })).toMatchObject({
    status: 'success',
  });
  await expect.poll(() => agent.listRuns()).toMatchObject([{ status: 'ended' }]);
  expect(onFinish).toHaveBeenCalledTimes(1);
});

it('of callers at the same time, the one whose answer counts gets the callbacks, if an earlier start takes longer', async () => {
  let starts = 0;
  const durability = interposing(memoryEngine(), async (id) => {
    if (id === '1:one') await setTimeout(300 - 100 * (starts += 1));
  });
  const agent = paying(durability);
  await agent.generate('Please charge me.', { runId: 'one' });
  await expect.poll(() => agent.listSuspendedRuns()).toMatchObject({ total: 1 });
  const toolCallId = (await agent.listSuspendedRuns()).runs[0]?.toolCalls[0]?.toolCallId ?? '';
  const finished: number[] = [];
  const answers = await Promise.allSettled(
    [1, 2, 3].map((caller) =>
      agent.resumeGenerate({ approved: true }, { runId: 'one', toolCallId, onFinish: () => void finished.push(caller) }),
    ),
  );
  const counting = answers.flatMap(({ status }, index) => (status === 'fulfilled' ? [index + 1] : []));
  expect(counting).toHaveLength(1);
  expect(finished).toEqual(counting);
});

it('a cancellation ends a run that is resumed in the same moment', async () => {
  let isResuming = false;
  const durability = interposing(memoryEngine(), async (id) => {
    if (id !== '1:one' || isResuming) return;
    isResuming = true;
    await agent.resume('one', { approved: true }, { toolCallId });
  });
  const { agent: build } = approving();
  const agent = build({ durability });
  await agent.generate('Please charge me.', { runId: 'one' });
  const toolCallId = (await agent.listSuspendedRuns()).runs[0]?.toolCalls[0]?.toolCallId ?? '';
  await agent.cancel('one');
  expect(isResuming).toBe(true);
  expect((await (await agent.attach('one')).getFullOutput()).status).toBe('canceled');
});

it('openWorkflow runs the input of the call that it reports as the first, if two processes start a run at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-at-once-'));
  const path = join(folder, 'runs.db');
  const echo: Program = { id: 'echo', run: async (_durable, { input }) => input };
  const [first, second] = [openWorkflow({ path }), openWorkflow({ path })];
  onTestFinished(async () => {
    await Promise.all([first.close(), second.close()]);
    rmSync(folder, { recursive: true, force: true });
  });
  const file = openFile(path);
  onTestFinished(() => file.close());
  const runs = first.host(echo);
  runTables(file, 'echo').reserve('one', { resourceId: 'ann', priority: 0 }); // a third process is just before its start
  expect(await runs.start({ runId: 'one', input: 'approved', resourceId: 'bob' })).toBe(true);
  expect(await second.host(echo).start({ runId: 'one', input: 'declined', resourceId: 'ann' })).toBe(false);
  await expect.poll(() => runs.find('one')).toEqual({ kind: 'ended', output: 'approved' });
  expect(await runs.list?.({})).toMatchObject([{ runId: 'one', resourceId: 'bob' }]);
});

it('openWorkflow lists a run under the resource of its call, if its process dies right after its start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-at-once-'));
  const path = join(folder, 'runs.db');
  const echo: Program = { id: 'echo', run: async (_durable, { input }) => input };
  const engine = openWorkflow({ path });
  const [file, other] = [openFile(path), new DatabaseSync(path)];
  onTestFinished(async () => {
    file.close();
    other.close();
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const runs = engine.host(echo);
  runTables(file, 'echo').reserve('one', { resourceId: 'ann', priority: 0 }); // another process is just before its start
  other.exec("CREATE TRIGGER dying BEFORE UPDATE ON interlock_runs BEGIN SELECT RAISE(ABORT, 'dead'); END");
  await expect(runs.start({ runId: 'one', input: 'approved', resourceId: 'bob', priority: 3 })).rejects.toThrow('dead');
  other.exec('DROP TRIGGER dying');
  expect(await runs.start({ runId: 'one', input: 'declined', resourceId: 'ann' })).toBe(false);
  await expect.poll(() => runs.find('one')).toEqual({ kind: 'ended', output: 'approved' });
  expect(await runs.list?.({})).toMatchObject([{ runId: 'one', resourceId: 'bob' }]);
});
