import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import type { InterlockAgent, InterlockResult } from '../../src/index.js';
import { clerk, type Version } from './clerk.js';
import { engineOf, type EngineSpec } from './engine-spec.js';
import { prompts, startOutside } from './outside.js';
import { startWorker, type Worker } from './processes.js';
import { sites, type Site } from './sites.js';
import type { Orders } from './worker.js';

let outside: Awaited<ReturnType<typeof startOutside>>;
beforeAll(async () => {
  outside = await startOutside();
});
afterAll(() => outside.close());

const before: Version = { guards: ['old', 'kept'] };
const after: Version = { guards: ['kept', 'new'] };
const changes = ['input guards removed: old', 'input guards added: new'];

/** The guards of either version in the events of a run. */
const judgesOf = ({ runEvents }: InterlockResult): string[] => {
  const events = JSON.stringify(runEvents);
  return ['old', 'kept', 'new'].filter((id) => events.includes(`"${id}"`));
};

/** The chunk for a follower of a run that waits for its code. */
const decisionOf = async (agent: InterlockAgent, runId: string): Promise<unknown> => {
  const { fullStream } = await agent.attach(runId, { from: 0 });
  for await (const chunk of fullStream as AsyncIterable<{ type: string; data?: unknown }>)
    if (chunk.type === 'data-interlock-needs-decision') return chunk.data;
  throw new Error('The run has ended.');
};

describe.each(Object.keys(sites) as (keyof typeof sites)[])('two versions of an agent on %s', (name) => {
  let site: Site;
  const workers: Worker[] = [];
  beforeAll(async () => {
    site = await sites[name]();
  });
  afterAll(() => site.close());
  afterEach(async () => {
    outside.holdWith(undefined);
    for (const worker of workers.splice(0)) {
      worker.kill();
      await worker.died;
    }
  });

  const work = (orders: Partial<Orders>, engine: EngineSpec = site.specFor('first')): Worker => {
    const { modelUrl, sinkUrl } = outside;
    const worker = startWorker({ modelUrl, sinkUrl, engine, ...orders });
    workers.push(worker);
    return worker;
  };

  /** Runs `act` with the agent of a version in this process. */
  const here = async <T>(
    version: Version,
    act: (agent: InterlockAgent) => Promise<T>,
    spec = site.specFor('tests'),
  ): Promise<T> => {
    const engine = engineOf(spec);
    try {
      return await act(clerk(outside, engine, version));
    } finally {
      await engine.close();
    }
  };
  const ended = async (agent: InterlockAgent, runId: string) => (await agent.attach(runId)).getFullOutput();

  /** Waits for the effect of the next run's tool, and keeps that tool waiting until it is released. */
  const underWay = async (orders: Partial<Orders>, spec?: EngineSpec) => {
    const { promise: seen, resolve: see } = Promise.withResolvers<void>();
    const { promise: goOn, resolve: letGo } = Promise.withResolvers<void>();
    outside.holdWith(async () => {
      see();
      await goOn;
    });
    const worker = work(orders, spec);
    await seen;
    return { worker, letGo: () => (outside.holdWith(undefined), letGo()) };
  };

  it.each([
    { what: 'with other guards', old: before, young: after, found: changes, judges: ['old', 'kept'] },
    {
      what: 'with another version of a guard',
      old: { guards: ['kept'], revision: '1' },
      young: { guards: ['kept'], revision: '2' },
      found: ['input guards of another version: kept (1 to 2)'],
      judges: ['kept'],
    },
  ])(
    'a run waits for its original code ($what), reports the changes, and ends under it',
    async ({ what, old, young, found, judges }) => {
      const runId = `${name}-killed ${what}`;
      const { worker, letGo } = await underWay({ begins: { runId, prompt: prompts.charge }, version: old });
      worker.kill();
      await worker.died;
      letGo();
      await here(young, async (agent) => {
        expect(await decisionOf(agent, runId)).toMatchObject({ changes: found });
        const waiting = await agent.listRuns({ status: 'needs-decision' });
        expect(waiting).toMatchObject([{ runId, status: 'needs-decision', changes: found }]);
      });
      await here(old, async (agent) => {
        const result = await ended(agent, runId);
        expect([result.status, result.text, judgesOf(result)]).toEqual(['success', 'I charge. All is paid.', judges]);
        expect(await agent.listRuns({ status: 'needs-decision' })).toEqual([]);
      });
    },
  );

  it('a run suspended by the old version continues in the new version after the change is accepted', async () => {
    const runId = `${name}-suspended`;
    expect((await work({ begins: { runId, prompt: prompts.refund }, version: before }).died).out).toContain('suspended');
    await here(after, async (agent) => {
      await agent.resume(runId, { approved: true });
      expect(await decisionOf(agent, runId)).toMatchObject({ changes });
      expect(outside.effects.filter(({ key }) => key.includes(runId))).toEqual([]);
    });
    await here({ ...after, accepts: true }, async (agent) => {
      const result = await ended(agent, runId);
      expect([result.status, result.text]).toEqual(['success', 'All is paid.']);
    });
    expect(outside.effects.filter(({ key }) => key.includes(runId))).toHaveLength(1);
  });

  it('the new version can cancel or abandon a waiting run', async () => {
    const runs = ['canceled', 'lost'].map((status) => ({ status, runId: `${name}-${status}` }));
    for (const { runId } of runs) {
      const { worker, letGo } = await underWay({ begins: { runId, prompt: prompts.charge }, version: before });
      worker.kill();
      await worker.died;
      letGo();
    }
    await here(after, async (agent) => {
      await expect.poll(() => agent.listRuns({ status: 'needs-decision' }), { timeout: 60_000 }).toHaveLength(2);
      await agent.cancel(`${name}-canceled`);
      expect((await ended(agent, `${name}-canceled`)).status).toBe('canceled');
      await agent.abandon(`${name}-lost`);
      await expect.poll(() => agent.listRuns({ status: 'lost' }), { timeout: 60_000 }).toMatchObject([{ runId: `${name}-lost` }]);
      await expect.poll(() => agent.listRuns({ status: 'needs-decision' }), { timeout: 60_000 }).toEqual([]);
    });
  });

  it('with both versions running, each run ends in its original version, and the old version drains', async () => {
    const [old, young] = [`${name}-of-old`, `${name}-of-new`];
    /** On Restate each version has its own address: runs stay with the one of their start. */
    const apart = (spec: EngineSpec): EngineSpec => (spec.kind === 'restate' ? { ...spec, serviceUrl: undefined } : spec);
    const { worker, letGo } = await underWay(
      { begins: { runId: old, prompt: prompts.charge }, version: before },
      apart(site.specFor('first')),
    );
    await here(
      after,
      async (agent) => {
        const deployedAt = new Date();
        outside.holdWith(undefined);
        const result = await agent.generate(prompts.charge, { runId: young });
        expect([result.status, judgesOf(result)]).toEqual(['success', ['kept', 'new']]);
        const abandoned = () => agent.listRuns({ status: ['queued', 'running', 'needs-decision'], startedBefore: deployedAt });
        expect(await abandoned()).toMatchObject([{ runId: old, status: 'running' }]);
        letGo();
        expect((await worker.died).out).toContain('success');
        await expect.poll(abandoned, { timeout: 60_000 }).toEqual([]);
        const there = await ended(agent, old);
        expect([there.status, judgesOf(there)]).toEqual(['success', ['old', 'kept']]);
      },
      apart(site.specFor('tests')),
    );
    for (const runId of [old, young]) expect(outside.effects.filter(({ key }) => key.includes(runId))).toHaveLength(2);
  });
});
