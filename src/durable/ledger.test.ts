import { setImmediate } from 'node:timers/promises';

import { TakenOver } from './journal.js';
import { describe, expect, it } from 'vitest';

import { createSuspects, DeadlyRun, inParts, createExecution, type Ledger } from './ledger.js';

/** A ledger as two processes see it that work on the same run. */
const shared = () => {
  const parts = new Map<string, { by: string; text: string }>();
  let deaths: { steps: number; count: number } | undefined;
  const as = (by: string): Ledger => ({
    find: async (part) => parts.get(part)?.text,
    keep: async (part, text) => {
      const known = parts.get(part) ?? { by, text };
      parts.set(part, known);
      if (known.by !== by) throw new TakenOver();
    },
    countStart: async (steps) => {
      deaths = { steps, count: deaths?.steps === steps ? deaths.count + 1 : 0 };
      return deaths.count;
    },
    uncountStart: async () => {
      if (deaths) deaths.count -= 1;
    },
  });
  return { as, parts };
};

const live = () => new AbortController().signal;
const inside = (ledger: Ledger, over: AbortSignal = live()) =>
  inParts({ ledger, step: '3 tools', canceled: live(), over, publish: async () => 0 });

describe('the parts of a step', () => {
  it('run once, in parallel, and are identified by their step', async () => {
    const { as, parts } = shared();
    const ran: string[] = [];
    const part = (key: string) => inside(as('one')).step(key, async () => `${ran.push(key)} ${key}`);
    const first = await Promise.all([part('a'), part('b')]);
    expect(await Promise.all([part('b'), part('a')])).toEqual(first.toReversed());
    expect(ran).toEqual(['a', 'b']);
    expect([...parts.keys()]).toEqual(['3 tools a', '3 tools b']);
  });

  it('keep the results of nested parts if the outer part fails', async () => {
    const { as } = shared();
    let runs = 0;
    const whole = (fails: boolean) =>
      inside(as('one')).step('a', async (inner) => {
        const text = await inner.step('b', async () => `${(runs += 1)}`);
        if (fails) throw new Error('The process is gone.');
        return `a ${text}`;
      });
    await expect(whole(true)).rejects.toThrow('gone');
    expect([await whole(false), runs]).toEqual(['a 1', 1]);
  });

  it('throw TakenOver in the process that stores its result second', async () => {
    const { as } = shared();
    const { promise: both, resolve } = Promise.withResolvers<void>();
    const slow = inside(as('slow')).step('a', async () => {
      await both;
      return 'slow';
    });
    expect(await inside(as('fast')).step('a', async () => 'fast')).toBe('fast');
    resolve();
    await expect(slow).rejects.toThrow(TakenOver);
    expect(await inside(as('third')).step('a', async () => 'third')).toBe('fast');
  });

  it('are not stored for a process that lost the run', async () => {
    const { as, parts } = shared();
    const over = new AbortController();
    const part = inside(as('one'), over.signal).step('a', async () => {
      over.abort(new Error('It is over.'));
      return 'result after the abort';
    });
    await expect(part).rejects.toThrow('over');
    expect(parts.size).toBe(0);
  });
});

describe('a run that kills its processes', () => {
  const lifeIn = (lives: Ledger, maxDeaths: number, suspects = createSuspects()) => createExecution(lives, maxDeaths, suspects);

  it('fails after more than `maxDeaths` crashes without progress, and not before', async () => {
    const { as } = shared();
    const begin = (steps: number) => lifeIn(as('one'), 2).start(() => steps);
    for (const steps of [0, 4, 4, 5, 5]) await begin(steps);
    await expect(begin(5)).rejects.toThrow(DeadlyRun);
  });

  it('counts one start per process', async () => {
    const { as } = shared();
    const life = lifeIn(as('one'), 1);
    await life.start(() => 0);
    await life.start(() => 0);
    await expect(lifeIn(as('one'), 1).start(() => 0)).rejects.toThrow(DeadlyRun);
  });

  it('is not acquitted by attempts that were interrupted before a start was counted', async () => {
    const { as } = shared();
    await lifeIn(as('one'), 2).start(() => 0);
    for (let attempts = 0; attempts < 3; attempts += 1) await lifeIn(as('one'), 2).interrupt();
    await lifeIn(as('one'), 2).start(() => 0);
    await expect(lifeIn(as('one'), 2).start(() => 0)).rejects.toThrow(DeadlyRun);
  });

  it('does not count an interrupted start, also of a suspect that waits for its turn', async () => {
    const { as } = shared();
    for (let starts = 0; starts < 2; starts += 1) await lifeIn(as('one'), 4).start(() => 0);
    const suspects = createSuspects();
    await suspects(); // another run has it
    for (let attempts = 0; attempts < 6; attempts += 1) {
      const life = lifeIn(as('one'), 4, suspects);
      void life.start(() => 0);
      await setImmediate(); // counted, and waits
      await life.interrupt();
    }
    expect(await as('one').countStart(0)).toBe(2);
  });

  it('does not block the other suspects if it has ended before its turn', async () => {
    const [ended, next] = [shared(), shared()];
    for (const { as } of [ended, next]) for (let starts = 0; starts < 2; starts += 1) await lifeIn(as('one'), 4).start(() => 0);
    const suspects = createSuspects();
    const leave = await suspects();
    const life = lifeIn(ended.as('one'), 4, suspects);
    const waiting = life.start(() => 0);
    const following = lifeIn(next.as('one'), 4, suspects).start(() => 0);
    await setImmediate();
    await life.interrupt();
    life.end();
    leave();
    await expect(waiting).rejects.toThrow('ended');
    await following;
    expect(await ended.as('one').countStart(0)).toBe(2);
  });

  it('does not stop other runs: after two crashes each run executes alone, and waiting runs are not counted', async () => {
    const runs = { poison: shared(), first: shared(), second: shared() };
    const ended = new Set<string>();
    const lost = new Set<string>();
    const runIn = async (name: keyof typeof runs, suspects = createSuspects()): Promise<'died' | undefined> => {
      const life = lifeIn(runs[name].as(name), 5, suspects);
      try {
        await life.start(() => 0);
      } catch {
        lost.add(name);
        return undefined;
      }
      if (name === 'poison') return 'died';
      await new Promise((resolve) => setTimeout(resolve, 5)); // poison is faster
      ended.add(name);
      life.pass();
      return undefined;
    };
    for (let processes = 0; processes < 8; processes += 1) {
      const suspects = createSuspects();
      const going = (Object.keys(runs) as (keyof typeof runs)[]).filter((name) => !ended.has(name) && !lost.has(name));
      const all = going.map((name) => runIn(name, suspects));
      const isDead = all.map(async (run) => (await run) === 'died');
      await Promise.race([...isDead.filter((_, index) => going[index] === 'poison'), Promise.all(isDead)]);
      if (processes < 2) ended.clear(); // they died with it
    }
    expect([[...lost], [...ended].toSorted()]).toEqual([['poison'], ['first', 'second']]);
  });
});
