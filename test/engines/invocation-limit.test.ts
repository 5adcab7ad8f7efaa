import { setTimeout } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { restate } from '../../src/durable/restate/index.js';
import { InterlockAgent } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { freePorts } from './servers/mortal-server.js';
import { startRestateServer, type RestateServer } from './servers/restate-server.js';

let server: RestateServer;
let port = 0;
beforeAll(async () => {
  [port = 0] = await freePorts(1);
  // One running run, one that is next, and the calls of these.
  server = await startRestateServer({
    RESTATE_DEFAULT_NUM_PARTITIONS: '1',
    RESTATE_WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT: '4',
  });
});
afterAll(() => server.stop());

const open = (): Engine => restate({ ingressUrl: server.ingressUrl, adminUrl: server.adminUrl, listen: { port } });

/** An agent whose runs go one at a time, and wait until the test lets them go on. */
const gated = (durability: Engine) => {
  const order: string[] = [];
  const waiting: (() => void)[] = [];
  const agent = new InterlockAgent({
    id: 'gated',
    name: 'Gated',
    instructions: 'Answer.',
    model: scriptedModel({
      steps: async ({ prompt }) => {
        order.push(JSON.stringify(prompt.at(-1)?.content).match(/run \d+/)?.[0] ?? '');
        await new Promise<void>((resolve) => waiting.push(resolve));
        return { text: 'Done.' };
      },
    }),
    runQueue: { concurrency: 1 },
    durability,
  });
  return { agent, order, next: () => waiting.shift()?.() };
};

const states = async (agent: InterlockAgent) => {
  const { queued, running } = await agent.runMetrics();
  return { queued, running };
};

/** The handlers of the agent's runs with a stored journal. */
const journaled = async (): Promise<unknown[]> => {
  const query = `SELECT DISTINCT target_handler_name AS handler FROM sys_invocation
    WHERE id IN (SELECT id FROM sys_journal) AND status = 'completed'`;
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const response = await fetch(`${server.adminUrl}/query`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  return ((await response.json()) as { rows: unknown[] }).rows; // the shape of Restate's response
};

it('runs many more queued runs than Restate admits invocations, the highest priority first', async () => {
  const engine = open();
  const { agent, order, next } = gated(engine);
  const runs = [agent.generate('run 0', { runId: '0' })];
  await expect.poll(() => order, { timeout: 20_000 }).toEqual(['run 0']);
  for (let index = 1; index < 12; index += 1)
    runs.push(agent.generate(`run ${index}`, { runId: `${index}`, priority: index === 9 ? 5 : 0 }));
  await expect.poll(() => states(agent), { timeout: 30_000 }).toEqual({ queued: 11, running: 1 });
  await agent.cancel('7');
  expect((await runs[7])?.status).toBe('canceled');
  const timer = setInterval(next, 50);
  const results = await Promise.all(runs);
  clearInterval(timer);
  expect(results.filter(({ status }) => status === 'success')).toHaveLength(11);
  expect(order).toHaveLength(11);
  expect(order.indexOf('run 9')).toBeLessThan(4); // after the first, the next, and at most one that was on its way
  expect(await states(agent)).toEqual({ queued: 0, running: 0 });
  await engine.close();
});

it('lets runs wait for longer than they are suspended at once', async () => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', onWarning);
  const engine = open();
  const { agent, order, next } = gated(engine);
  const runs = Array.from({ length: 5 }, (_, index) => agent.generate(`run ${index}`));
  await expect.poll(() => states(agent), { timeout: 30_000 }).toEqual({ queued: 4, running: 1 });
  await setTimeout(62_000); // Restate wakes them
  expect(await states(agent)).toEqual({ queued: 4, running: 1 });
  expect(order).toHaveLength(1);
  const timer = setInterval(next, 50);
  expect((await Promise.all(runs)).map(({ status }) => status)).toEqual(runs.map(() => 'success'));
  clearInterval(timer);
  expect(await journaled()).toEqual([{ handler: 'run' }]); // no call to wake, cancel or look up a run
  await engine.close();
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});

it('ends a queued run at its deadline, and continues those that a closed process leaves', async () => {
  const first = open();
  const { agent, order, next: nextOfFirst } = gated(first);
  const ids = ['20', '21', '22', '23', '24'];
  const left = ids.map((id) => agent.generate(`run ${id}`, { runId: id }).catch(() => undefined));
  const late = agent.generate('run 25', { runId: '25', deadlineMs: 3_000 });
  expect((await late).status).toBe('canceled');
  await expect.poll(() => states(agent), { timeout: 30_000 }).toEqual({ queued: 4, running: 1 });
  expect(order).toHaveLength(1);
  const closed = first.close();
  nextOfFirst();
  await Promise.all([closed, ...left]);
  const second = open();
  const { agent: again, next } = gated(second);
  const timer = setInterval(next, 50);
  const results = await Promise.all(ids.map(async (id) => (await again.attach(id)).getFullOutput()));
  clearInterval(timer);
  expect(results.map(({ status }) => status)).toEqual(ids.map(() => 'success'));
  await second.close();
});
