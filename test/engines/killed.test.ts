import { setTimeout } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { memoryEngine, type InterlockAgent, type InterlockResult } from '../../src/index.js';
import { answerOf, clerk } from './clerk.js';
import { engineOf } from './engine-spec.js';
import { forbidden, prompts, startOutside } from './outside.js';
import { startWorker, type Died, type Worker } from './processes.js';
import type { MortalServer } from './servers/mortal-server.js';
import { sites, type Site } from './sites.js';
import type { Orders } from './worker.js';

/** `npm run test:crash` kills at every boundary; `npm run test:engines` at some of them. */
const isWhole = (import.meta as { env?: { MODE?: string } }).env?.MODE === 'every-boundary'; // vitest's own types are not everywhere

let outside: Awaited<ReturnType<typeof startOutside>>;
beforeAll(async () => {
  outside = await startOutside();
});
afterAll(() => outside.close());

const outcomeOf = ({ status, text, finishReason, steps, usage }: InterlockResult) => ({
  status,
  text,
  finishReason,
  usage,
  steps: steps.map(({ stepNumber, attempt, reason, text: answerText, toolResults }) => [
    stepNumber,
    attempt,
    reason,
    answerText,
    toolResults.length,
  ]),
});

/** Runs that are killed at every boundary, with the amounts that they charge, and the boundaries of the sample. */
const walked = [
  { shape: 'tools', prompt: prompts.charge, amounts: ['1', '2'], sample: [/^before begin/, /^unkept tool/, /^before \d+ end/] },
  {
    shape: 'a streamed sub-agent',
    prompt: prompts.delegate,
    isStreamed: true,
    amounts: ['4'],
    sample: [/^unkept tool (?!.*charge)/],
  },
];

/** The number of times that each effect happened, by the key of its call. */
const countsOf = (runId: string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { key, amount } of outside.effects) if (key.includes(runId)) counts[amount] = (counts[amount] ?? 0) + 1;
  return counts;
};

/** The servers that processes share, and may lose; none for a file. */
const servers: Readonly<Record<keyof typeof sites, readonly string[]>> = {
  openworkflow: [],
  restate: ["Restate's server"],
  dbos: ['PostgreSQL'],
};

/** The loss of a paused process. The server of Restate waits for such a process. */
const losses: Readonly<Record<keyof typeof sites, readonly string[]>> = {
  openworkflow: ['its lease'],
  restate: [],
  dbos: ['its heartbeat'],
};

describe.each(Object.keys(sites) as (keyof typeof sites)[])('runs in %s', (name) => {
  let site: Site;
  let expected: ReturnType<typeof outcomeOf>;
  const workers: Worker[] = [];

  beforeAll(async () => {
    site = await sites[name]();
    expected = outcomeOf(await clerk(outside, memoryEngine()).generate(prompts.charge));
  });
  afterAll(() => site.close());
  afterEach(async () => {
    outside.holdWith(undefined);
    for (const worker of workers.splice(0)) {
      worker.kill();
      await worker.died;
    }
  });

  const work = (orders: Partial<Orders> & { as?: 'first' | 'second' }): Worker => {
    const { modelUrl, sinkUrl } = outside;
    const worker = startWorker({ modelUrl, sinkUrl, engine: site.specFor(orders.as ?? 'first'), ...orders });
    workers.push(worker);
    return worker;
  };
  const reportOf = ({ out, errors, code }: Died) => {
    expect(out, `a process ended with ${code}, without a result: ${errors}`).not.toBe('');
    return JSON.parse(out) as { status?: string; code?: string; passed?: string[] };
  };

  /** Continues runs in this process, from their stored state. */
  const here = async <T>(act: (agent: InterlockAgent) => Promise<T>): Promise<T> => {
    const engine = engineOf(site.specFor('tests'));
    try {
      return await act(clerk(outside, engine));
    } finally {
      await engine.close();
    }
  };
  const followed = (runId: string): Promise<InterlockResult> =>
    here(async (agent) => (await agent.attach(runId)).getFullOutput());

  /** Runs `act` after the effect of the next run's tool, before the tool gets the response. */
  const once = (act: () => Promise<void> | void): Promise<void> =>
    new Promise((resolve) => {
      let isDone = false;
      outside.holdWith(async () => {
        if (isDone) return;
        isDone = true;
        await act();
        resolve();
      });
    });

  const expectOnce = (result: InterlockResult, runId: string, { most = 1, amounts = ['1', '2'], underWay = '' }): void => {
    expect(JSON.stringify([result.steps, result.messages, result.runEvents]), runId).not.toContain(forbidden);
    const counts = countsOf(runId);
    expect(Object.keys(counts), runId).toEqual(amounts);
    for (const [amount, count] of Object.entries(counts))
      expect(count, `${runId} ${amount}`).toBeLessThanOrEqual(underWay.includes(`charge${amount}`) ? 2 : most);
  };
  const expectWhole = (result: InterlockResult, runId: string, most: number): void => {
    expect(outcomeOf(result), runId).toEqual(expected);
    expectOnce(result, runId, { most });
  };

  it.each(walked)(
    'end as in memory, for a kill at every point of $shape',
    { timeout: isWhole ? 3_600_000 : 900_000 },
    async (walk) => {
      const { shape, sample, amounts, ...begins } = walk;
      const idOf = (at: string): string => `${name}-${shape.replaceAll(' ', '-')}-${at}-`;
      const inMemory = outcomeOf(await answerOf(clerk(outside, memoryEngine()), { ...begins, runId: idOf('memory') }));
      const whole = await work({ begins: { ...begins, runId: idOf('whole') } }).died;
      const { passed: boundaries = [] } = reportOf(whole);
      const check = (result: InterlockResult, runId: string, underWay?: string): void => {
        expect(outcomeOf(result), runId).toEqual(inMemory);
        expectOnce(result, runId, { amounts, underWay });
      };
      check(await followed(idOf('whole')), idOf('whole'));
      expect(boundaries.length).toBeGreaterThan(20);
      const sampled = new Set(sample.map((wanted) => boundaries.findIndex((one) => wanted.test(one))));
      expect(sampled, boundaries.join()).not.toContain(-1);
      for (const [dieAt, boundary] of boundaries.entries()) {
        if (!isWhole && !sampled.has(dieAt)) continue;
        const runId = idOf(`${dieAt}`);
        const { signal, out } = await work({ begins: { ...begins, runId }, dieAt }).died;
        expect(signal, boundary).toBe('SIGKILL');
        check(await followed(runId), runId, out);
      }
    },
  );

  it('end once if their process is killed during a tool and another process continues', async () => {
    const runId = `${name}-takeover`;
    const first = work({ begins: { runId, prompt: prompts.charge } });
    await once(async () => {
      await work({ as: 'second' }).there;
      first.kill();
    });
    expect((await first.died).signal).toBe('SIGKILL');
    await expect
      .poll(() => outside.effects.filter(({ key }) => key.includes(runId)).length, { timeout: 30_000 })
      .toBeGreaterThan(2);
    expectWhole(await followed(runId), runId, 2);
  });

  it.each(losses[name])(
    'end if their process is paused during its tools, loses %s, and wakes up while another process runs them',
    async () => {
      const runId = `${name}-paused`;
      const [taken, woken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = work({ begins: { runId, prompt: prompts.charge } });
      outside.holdWith(async ({ amount }) => {
        const times = countsOf(runId)[amount] ?? 0;
        if (times === 1) await (amount === 1 ? taken : woken).promise;
        if (times === 2 && amount === 1) {
          first.wake();
          taken.resolve();
          await setTimeout(1_500); // the first process persists its result first
          woken.resolve();
        }
      });
      await expect.poll(() => countsOf(runId)[1], { timeout: 60_000 }).toBe(1);
      first.pause();
      work({ as: 'second' });
      await woken.promise;
      expectWhole(await followed(runId), runId, 2);
    },
  );

  it('wait for approval while processes and servers restart', async () => {
    const runId = `${name}-late`;
    expect(reportOf(await work({ begins: { runId, prompt: prompts.refund } }).died).status).toBe('suspended');
    await site.server?.kill();
    await site.server?.start();
    const texts = await here(async (agent) => {
      expect((await agent.listSuspendedRuns()).runs.map((run) => run.runId)).toContain(runId);
      const { text } = await (await agent.resume(runId, { approved: true })).getFullOutput();
      await expect(agent.resume(runId, { approved: true })).rejects.toMatchObject({ code: 'agent/no-suspended-run' });
      return text;
    });
    expect([texts, countsOf(runId)]).toEqual(['All is paid.', { 3: 1 }]);
  });

  it('can be followed and canceled by another process', async () => {
    const runId = `${name}-canceled`;
    const worker = work({ begins: { runId, prompt: prompts.charge } });
    const listen = async (agent: InterlockAgent): Promise<void> => {
      const { fullStream } = await agent.attach(runId);
      for await (const { type } of fullStream as AsyncIterable<{ type: string }>) if (type === 'step-start') break; // its tool waits meanwhile
    };
    await once(() =>
      here(async (agent) => {
        await listen(agent);
        await agent.cancel(runId);
      }),
    );
    expect(reportOf(await worker.died).status).toBe('canceled');
    expect((await followed(runId)).status).toBe('canceled');
  });

  it('are abandoned if they kill their processes, without harm to other runs', async () => {
    const runId = `${name}-poison`;
    const deaths: (NodeJS.Signals | null)[] = [(await work({ begins: { runId, prompt: prompts.die } }).died).signal];
    let last: ReturnType<typeof reportOf> = {};
    while (deaths.at(-1) === 'SIGKILL' && deaths.length < 10) {
      const died = await work({ follows: runId }).died;
      deaths.push(died.signal);
      if (died.signal === null) last = reportOf(died);
    }
    expect(last.code).toBe('durable/lost-run');
    // The first got further than its start; three more did not.
    expect(deaths).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGKILL', null]);
    expect(reportOf(await work({ begins: { runId: `${runId}-after`, prompt: prompts.charge } }).died).status).toBe('success');
    await here(async (agent) => {
      await expect.poll(() => agent.runMetrics(), { timeout: 60_000 }).toMatchObject({ lost: 1, recovered: 0 });
      await agent.retry(runId); // here its tool kills nothing
      const { status, text } = await (await agent.attach(runId)).getFullOutput();
      expect([status, text]).toEqual(['success', 'All is paid.']);
      await expect.poll(() => agent.runMetrics(), { timeout: 60_000 }).toMatchObject({ lost: 0, recovered: 1 });
    });
  });

  it.each(servers[name])('survive a restart of %s', async () => {
    const server = site.server as MortalServer; // it has a name
    const runId = `${name}-server`;
    const worker = work({ begins: { runId, prompt: prompts.charge } });
    await once(async () => {
      await server.kill();
      await setTimeout(2_000);
      await server.start();
    });
    expect(reportOf(await worker.died).status).toBe('success');
    expectWhole(await followed(runId), runId, 2);
  });

  it.each(servers[name])('survive a restart of %s and of their process', async () => {
    const server = site.server as MortalServer; // it has a name
    const runId = `${name}-both`;
    const worker = work({ begins: { runId, prompt: prompts.charge } });
    await once(async () => {
      await server.kill();
      worker.kill();
      await server.start();
    });
    expectWhole(await followed(runId), runId, 2);
  });
});
