import { expect, it } from 'vitest';

import { InterlockAgent, type InterlockAgentConfig, type RunEvent } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import { scriptedModel } from '../../src/testing/index.js';

let agents = 0;
const patience = { timeout: 20_000 };

/** An agent whose model answers when the test lets it, and records the order of its runs. */
export const gated = (durability: Engine, config: Partial<InterlockAgentConfig> = {}) => {
  const waiting: (() => void)[] = [];
  const order: string[] = [];
  const at: number[] = [];
  const agent = new InterlockAgent({
    id: `gated-${(agents += 1)}`,
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
    await expect.poll(() => waiting.length, patience).toBeGreaterThan(0);
    waiting.shift()?.();
  };
  return { agent, order, at, waiting, next };
};

interface QueueOptions {
  readonly engine: () => Engine;
  /** Milliseconds in which a run starts for certain. */
  readonly startMs: number;
}

/** The queue of an agent on an engine. */
export const runQueues = ({ engine, startMs }: QueueOptions): void => {
  it('limits the runs started per interval', async () => {
    const { agent, at, waiting } = gated(engine(), { runQueue: { rateLimit: { runs: 2, perMs: 400 } } });
    const before = performance.now();
    const runs = ['1', '2', '3', '4', '5'].map((text) => agent.generate(text));
    const letting = setInterval(() => waiting.splice(0).forEach((resolve) => resolve()), 5);
    await Promise.all(runs);
    clearInterval(letting);
    const [, , three = 0, , five = 0] = at;
    expect(three - before).toBeGreaterThan(300);
    expect(five - before).toBeGreaterThan(700);
  });

  it('ends a canceled queued run without a start', async () => {
    const { agent, order, next } = gated(engine(), { runQueue: { concurrency: 1 } });
    const first = agent.generate('first');
    await expect.poll(() => order, patience).toEqual(['first']);
    const second = agent.generate('second', { runId: 'second' });
    await expect.poll(() => agent.runMetrics(), patience).toMatchObject({ queued: 1, running: 1 });
    expect((await agent.listRuns({ status: 'queued' })).map(({ runId }) => runId)).toEqual(['second']);
    await agent.cancel('second');
    expect((await second).status).toBe('canceled');
    expect(order).toEqual(['first']);
    await next();
    expect((await first).status).toBe('success');
  });

  it('ends a running or queued run at its deadline, with the reason', async () => {
    const { agent, order } = gated(engine(), { runQueue: { concurrency: 1 }, deadlineMs: startMs });
    const ends: unknown[] = [];
    const onRunEvent = (event: RunEvent) => void (event.type === 'run-finish' && ends.push(event.error?.code));
    const first = agent.generate('first', { onRunEvent });
    await expect.poll(() => order, patience).toEqual(['first']);
    const second = agent.generate('second', { deadlineMs: 100, onRunEvent });
    for (const run of [second, first]) expect((await run).status).toBe('canceled');
    expect(ends).toEqual(['run/deadline', 'run/deadline']);
    expect(order).toEqual(['first']);
  });
};

/** The order of an agent's queue on an engine whose runs wait in their process. */
export const priorities = ({ engine }: Pick<QueueOptions, 'engine'>): void => {
  it('runs at most `concurrency` runs at a time, the highest priority first', async () => {
    const { agent, order, waiting, next } = gated(engine(), { runQueue: { concurrency: 1 } });
    const first = agent.generate('first');
    await expect.poll(() => order, patience).toEqual(['first']);
    const rest = [agent.generate('low', { priority: -1 }), agent.generate('plain'), agent.generate('high', { priority: 5 })];
    await expect.poll(() => agent.runMetrics(), patience).toMatchObject({ queued: 3, running: 1 });
    expect(waiting).toHaveLength(1);
    for (let left = 4; left > 0; left -= 1) await next();
    const results = await Promise.all([first, ...rest]);
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'success'));
    expect(order).toEqual(['first', 'high', 'plain', 'low']);
    await expect.poll(() => agent.runMetrics(), patience).toMatchObject({ queued: 0, running: 0 });
  });
};
