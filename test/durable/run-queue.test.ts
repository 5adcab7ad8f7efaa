import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { describe, expect, it, onTestFinished } from 'vitest';

import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { InterlockAgent, memoryEngine } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { gated, priorities, runQueues } from './run-queue-suite.js';

const onFile = (): Engine => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-queue-'));
  const engine = openWorkflow({ path: join(folder, 'runs.db') });
  onTestFinished(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return engine;
};

describe.each([
  ['memory', memoryEngine],
  ['openworkflow', onFile],
])('the queue of an agent on %s', (_name, engine) => {
  runQueues({ engine, startMs: 600 });
  priorities({ engine });
});

/** An engine that counts the lookups of runs, and can take a queued run from this process. */
const watchedEngine = () => {
  const engine = memoryEngine();
  const over = new AbortController();
  let lookups = 0;
  const watched: Engine = {
    ...engine,
    host: ({ id, run }) => {
      const runs = engine.host({
        id,
        run: (durable, call) => {
          if (!call.runId.endsWith('taken')) return run(durable, call);
          const { signal } = over;
          return run({ ...durable, over: signal, step: async () => Promise.reject(signal.reason as Error) }, call);
        },
      });
      return { ...runs, find: (runId) => ((lookups += 1), runs.find(runId)) };
    },
  };
  return { engine: watched, take: () => over.abort(new Error('It is elsewhere.')), lookups: () => lookups };
};

it('does not look up runs that wait for their turn here', async () => {
  const { engine, lookups } = watchedEngine();
  const { agent, order, next } = gated(engine, { runQueue: { concurrency: 1 } });
  const runs = ['1', '2', '3', '4'].map((text) => agent.generate(text));
  await expect.poll(() => agent.runMetrics()).toMatchObject({ queued: 3, running: 1 });
  const before = lookups();
  await setTimeout(1_000);
  expect(lookups() - before).toBeLessThanOrEqual(3); // one under way for each run
  for (const _ of runs) await next();
  expect((await Promise.all(runs)).map(({ status }) => status)).toEqual(runs.map(() => 'success'));
  expect(order).toEqual(['1', '2', '3', '4']);
});

it('drops a queued run that the engine has taken from this process', async () => {
  const { engine, take } = watchedEngine();
  const { agent, order, next } = gated(engine, { runQueue: { concurrency: 1 } });
  const first = agent.generate('first');
  await expect.poll(() => order).toEqual(['first']);
  const taken = agent.generate('taken', { runId: 'taken' });
  await expect.poll(() => agent.runMetrics()).toMatchObject({ queued: 1 });
  take();
  await expect(taken).rejects.toMatchObject({ code: 'durable/lost-run', path: 'taken' });
  expect(await agent.runMetrics()).toMatchObject({ queued: 0, running: 1 });
  await next();
  expect((await first).status).toBe('success');
  expect(order).toEqual(['first']);
});

it('rejects options that need an engine if there is none', async () => {
  const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
  const base = { id: 'plain', name: 'Plain', instructions: 'Answer.', model };
  const missing = (path: string) => expect.objectContaining({ code: 'durable/no-engine', path });
  expect(() => new InterlockAgent({ ...base, runQueue: { concurrency: 1 } })).toThrow(missing('runQueue'));
  expect(() => new InterlockAgent({ ...base, deadlineMs: 10 })).toThrow(missing('deadlineMs'));
  const agent = new InterlockAgent(base);
  await expect(agent.generate('Hi', { priority: 1 })).rejects.toMatchObject({ code: 'durable/no-engine', path: 'priority' });
  await expect(agent.generate('Hi', { deadlineMs: 1 })).rejects.toMatchObject({ code: 'durable/no-engine', path: 'deadlineMs' });
});
