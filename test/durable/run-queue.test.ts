import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { describe, expect, it, onTestFinished } from 'vitest';

import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { InterlockAgent, memoryEngine, type Engine, type InterlockAgentConfig, type RunEvent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

const onFile = (): Engine => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-queue-'));
  const engine = openWorkflow({ path: join(folder, 'runs.db') });
  onTestFinished(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return engine;
};

/** An agent whose model answers when the test lets it, and records the order of its runs. */
const gated = (durability: Engine, config: Partial<InterlockAgentConfig> = {}) => {
  const waiting: (() => void)[] = [];
  const order: string[] = [];
  const at: number[] = [];
  const agent = new InterlockAgent({
    id: 'gated',
    name: 'Gated',
    instructions: 'Answer.',
    model: scriptedModel({ steps: () => ({ text: 'Done.' }) }),
    inputProcessors: [
      {
        id: 'gate',
        processInput: async ({ messages }: { messages: { content: { parts: { text?: string }[] } }[] }) => {
          order.push(messages.at(-1)?.content.parts[0]?.text ?? '');
          at.push(performance.now());
          await new Promise<void>((resolve) => waiting.push(resolve));
          return messages;
        },
      } as never,
    ],
    durability,
    ...(config as object),
  });
  const next = async (): Promise<void> => {
    await expect.poll(() => waiting.length).toBeGreaterThan(0);
    waiting.shift()?.();
  };
  return { agent, order, at, waiting, next };
};

describe.each([
  ['memory', memoryEngine],
  ['openworkflow', onFile],
])('the queue of an agent on %s', (_name, make) => {
  it('runs at most `concurrency` runs at a time, the highest priority first', async () => {
    const { agent, order, waiting, next } = gated(make(), { runQueue: { concurrency: 1 } });
    const first = agent.generate('first');
    await expect.poll(() => order).toEqual(['first']);
    const rest = [agent.generate('low', { priority: -1 }), agent.generate('plain'), agent.generate('high', { priority: 5 })];
    await expect.poll(() => agent.runMetrics()).toMatchObject({ queued: 3, running: 1 });
    expect(waiting).toHaveLength(1);
    for (let left = 4; left > 0; left -= 1) await next();
    const results = await Promise.all([first, ...rest]);
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'success'));
    expect(order).toEqual(['first', 'high', 'plain', 'low']);
    expect(await agent.runMetrics()).toMatchObject({ queued: 0, running: 0 });
  });

  it('limits the runs started per interval', async () => {
    const { agent, at, waiting } = gated(make(), { runQueue: { rateLimit: { runs: 2, perMs: 400 } } });
    const runs = ['1', '2', '3', '4', '5'].map((text) => agent.generate(text));
    const letting = setInterval(() => waiting.splice(0).forEach((resolve) => resolve()), 5);
    await Promise.all(runs);
    clearInterval(letting);
    const [one = 0, , three = 0, , five = 0] = at;
    expect(three - one).toBeGreaterThan(300);
    expect(five - three).toBeGreaterThan(300);
  });

  it('ends a canceled queued run without a start', async () => {
    const { agent, order, next } = gated(make(), { runQueue: { concurrency: 1 } });
    const first = agent.generate('first');
    await expect.poll(() => order).toEqual(['first']);
    const second = agent.generate('second', { runId: 'second' });
    await expect.poll(() => agent.runMetrics()).toMatchObject({ queued: 1 });
    await agent.cancel('second');
    expect((await second).status).toBe('canceled');
    expect(order).toEqual(['first']);
    await next();
    expect((await first).status).toBe('success');
  });

  it('ends a running or queued run at its deadline, with the reason', async () => {
    const { agent, order } = gated(make(), { runQueue: { concurrency: 1 }, deadlineMs: 600 });
    const ends: unknown[] = [];
    const onRunEvent = (event: RunEvent) => void (event.type === 'run-finish' && ends.push(event.error?.code));
    const first = agent.generate('first', { onRunEvent });
    await expect.poll(() => order).toEqual(['first']);
    const second = agent.generate('second', { deadlineMs: 100, onRunEvent });
    for (const run of [second, first]) expect((await run).status).toBe('canceled');
    expect(ends).toEqual(['run/deadline', 'run/deadline']);
    expect(order).toEqual(['first']);
  });
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
