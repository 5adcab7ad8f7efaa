import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOutlet, type Outlet } from './outlet.js';

/** Whether something has settled by now. */
const isSettled = async (promise: Promise<unknown> | undefined): Promise<boolean> => {
  let settled = false;
  promise?.then(
    () => (settled = true),
    () => (settled = true),
  );
  await wait(0);
  return settled;
};

const take = async <T>(reader: ReadableStreamDefaultReader<T>, count: number): Promise<T[]> => {
  const taken: T[] = [];
  for (let index = 0; index < count; index += 1) taken.push((await reader.read()).value as T);
  return taken;
};

const all = async <T>(stream: ReadableStream<T>): Promise<T[]> => {
  const taken: T[] = [];
  for await (const chunk of stream) taken.push(chunk);
  return taken;
};

const filled = (limit: number, count: number): Outlet<number> => {
  const outlet = createOutlet<number>(limit);
  for (let n = 0; n < count; n += 1) void outlet.write(n);
  return outlet;
};

describe('back-pressure', () => {
  it('the writer goes on below the limit and waits at it', () => {
    const outlet = createOutlet<number>(3);
    expect(outlet.write(0)).toBeUndefined();
    expect(outlet.write(1)).toBeUndefined();
    expect(outlet.write(2)).toBeInstanceOf(Promise);
  });

  it('by default that is 32', () => {
    const outlet = filled(32, 0);
    const waits = Array.from({ length: 32 }, (_, n) => outlet.write(n) !== undefined);
    expect(waits.lastIndexOf(false)).toBe(30);
  });

  it('the writer goes on when one chunk was read', async () => {
    const outlet = createOutlet<number>(2);
    void outlet.write(0);
    const waiting = outlet.write(1);
    expect(await isSettled(waiting)).toBe(false);
    const reader = outlet.read().getReader();
    expect(await isSettled(waiting)).toBe(false); // nothing is read ahead
    await reader.read();
    expect(await isSettled(waiting)).toBe(true);
  });

  it('a writer far over the limit waits until the reader is near', async () => {
    const outlet = filled(2, 5);
    const waiting = outlet.write(5);
    const reader = outlet.read().getReader();
    await take(reader, 4);
    expect(await isSettled(waiting)).toBe(false);
    await take(reader, 1);
    expect(await isSettled(waiting)).toBe(true);
  });

  it('several writers that wait go on together', async () => {
    const outlet = filled(1, 0);
    const waiting = [outlet.write(0), outlet.write(1)];
    await take(outlet.read().getReader(), 2);
    expect(await Promise.all(waiting.map(isSettled))).toEqual([true, true]);
  });

  it('a slow reader gets as much as it takes, and no more is written meanwhile', async () => {
    const outlet = createOutlet<number>(4);
    let written = 0;
    const writing = (async () => {
      for (; written < 20; written += 1) await outlet.write(written);
      outlet.close();
    })();
    const reader = outlet.read().getReader();
    for (let taken = 1; taken <= 20; taken += 1) {
      await reader.read();
      await wait(0);
      expect(written - taken).toBeLessThanOrEqual(4);
    }
    await writing;
    expect(await reader.read()).toEqual({ done: true, value: undefined });
  });
});

describe('drain and close', () => {
  it('drain lets everything flow, those who wait included', async () => {
    const outlet = filled(1, 0);
    const waiting = outlet.write(0);
    outlet.drain();
    expect(await isSettled(waiting)).toBe(true);
    expect(outlet.write(1)).toBeUndefined();
    outlet.close();
    expect(await all(outlet.read())).toEqual([0, 1]);
  });

  it('close ends the readers and frees the writers', async () => {
    const outlet = filled(1, 0);
    const waiting = outlet.write(0);
    const reading = all(outlet.read());
    outlet.close();
    expect(await isSettled(waiting)).toBe(true);
    expect(await reading).toEqual([0]);
    expect(outlet.closed).toBe(true);
  });

  it('close frees a writer whom nobody reads', async () => {
    const outlet = filled(1, 0);
    const waiting = outlet.write(0);
    outlet.close();
    expect(await isSettled(waiting)).toBe(true);
  });

  it('after it nothing leaves; a second close does nothing', async () => {
    const outlet = filled(2, 1);
    expect(outlet.closed).toBe(false);
    outlet.close();
    expect(outlet.write(1)).toBeUndefined();
    outlet.close();
    expect(await all(outlet.read())).toEqual([0]);
  });

  it('wakes a reader that waits for news', async () => {
    const outlet = createOutlet<number>();
    const reading = outlet.read().getReader().read();
    expect(await isSettled(reading)).toBe(false);
    outlet.close();
    expect(await reading).toEqual({ done: true, value: undefined });
  });
});

describe('readers', () => {
  it('who come late read from the start', async () => {
    const outlet = filled(32, 3);
    const early = outlet.read().getReader();
    await take(early, 3);
    const late = outlet.read().getReader();
    void outlet.write(3);
    expect(await take(late, 4)).toEqual([0, 1, 2, 3]);
    expect(await take(early, 1)).toEqual([3]);
    outlet.close();
    expect(await all(outlet.read())).toEqual([0, 1, 2, 3]);
  });

  it('all get all; the fastest sets the pace', async () => {
    const outlet = createOutlet<number>(2);
    const [fast, slow] = [outlet.read().getReader(), outlet.read().getReader()];
    void outlet.write(0);
    const waiting = outlet.write(1);
    await take(slow, 1);
    await take(fast, 2);
    expect(await isSettled(waiting)).toBe(true);
    expect(await take(slow, 1)).toEqual([1]);
    expect(outlet.write(2)).toBeUndefined();
    expect(await take(fast, 1)).toEqual([2]);
    const [third, fourth] = [outlet.write(3), outlet.write(4)];
    expect(await take(fast, 2)).toEqual([3, 4]);
    expect(await take(slow, 1)).toEqual([2]); // far behind, and nobody's hindrance
    expect(outlet.write(5)).toBeUndefined();
    outlet.close();
    expect(await take(slow, 3)).toEqual([3, 4, 5]);
    expect([third, await isSettled(fourth)]).toEqual([undefined, true]);
  });

  it('the last one who was reading goes away: everything flows', async () => {
    const outlet = createOutlet<number>(1);
    const stream = outlet.read();
    const waiting = outlet.write(0);
    const reader = stream.getReader();
    await reader.read();
    expect(await isSettled(waiting)).toBe(true);
    const more = outlet.write(1);
    expect(await isSettled(more)).toBe(false);
    await reader.cancel();
    expect(await isSettled(more)).toBe(true);
    expect(outlet.write(2)).toBeUndefined();
  });

  it('one of two goes away: the other sets the pace', async () => {
    const outlet = createOutlet<number>(1);
    const [gone, stays] = [outlet.read().getReader(), outlet.read().getReader()];
    void outlet.write(0);
    await Promise.all([take(gone, 1), take(stays, 1)]);
    await gone.cancel();
    const waiting = outlet.write(1);
    expect(await isSettled(waiting)).toBe(false);
    await take(stays, 1);
    expect(await isSettled(waiting)).toBe(true);
  });

  it('one that never read anything goes away, or stays: it is not waited for', async () => {
    const outlet = createOutlet<number>(1);
    const reader = outlet.read().getReader();
    outlet.read();
    const waiting = outlet.write(0);
    await take(reader, 1);
    expect(await isSettled(waiting)).toBe(true);
    await reader.cancel();
    expect(outlet.write(1)).toBeUndefined();
  });

  it('the only stream is canceled before it was read: everything flows', async () => {
    const outlet = createOutlet<number>(1);
    const stream = outlet.read();
    const waiting = outlet.write(0);
    await stream.cancel();
    expect(await isSettled(waiting)).toBe(true);
  });

  it('one goes away while it waits for news: what comes later harms nobody', async () => {
    const outlet = createOutlet<number>();
    const [gone, stays] = [outlet.read().getReader(), outlet.read().getReader()];
    const reading = [gone.read(), stays.read()];
    await wait(0);
    await gone.cancel();
    void outlet.write(0);
    outlet.close();
    expect(await reading[0]).toEqual({ done: true, value: undefined });
    expect(await reading[1]).toEqual({ done: false, value: 0 });
    expect(await all(outlet.read())).toEqual([0]);
  });

  it('who break off a loop go away', async () => {
    const outlet = filled(32, 3);
    for await (const chunk of outlet.read()) if (chunk === 1) break;
    expect(Array.from({ length: 64 }, (_, n) => outlet.write(n)).every((waiting) => waiting === undefined)).toBe(true);
  });
});

it('law: however writers and readers interleave, every reader gets all chunks in order, and the writer ends', async () => {
  const readers = fc.array(fc.record({ late: fc.nat(6), leaves: fc.option(fc.nat(8)) }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.nat(12),
      readers,
      fc.scheduler(),
      async (limit, count, plans, scheduler) => {
        const outlet = createOutlet<number>(limit);
        const tick = () => scheduler.schedule(Promise.resolve());
        const chunks = Array.from({ length: count }, (_, n) => n);
        const write = async () => {
          for (const chunk of chunks) {
            await tick();
            await outlet.write(chunk);
          }
          outlet.close();
        };
        const read = async ({ late, leaves }: { late: number; leaves: number | null }) => {
          for (let turn = 0; turn < late; turn += 1) await tick();
          const taken: number[] = [];
          for await (const chunk of outlet.read()) {
            if (leaves !== null && taken.length >= leaves) break;
            taken.push(chunk);
            await tick();
          }
          expect(taken).toEqual(leaves === null ? chunks : chunks.slice(0, leaves));
        };
        await scheduler.waitFor(Promise.all([write(), ...plans.map(read)]));
        expect(outlet.closed).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
});

describe('hold', () => {
  it('shows nothing that was written since, until it is shown', async () => {
    const seen: number[] = [];
    const outlet = createOutlet<number>(2, (chunk) => void seen.push(chunk));
    const reader = outlet.read().getReader();
    void outlet.write(0);
    outlet.hold();
    expect([outlet.write(1), outlet.write(2), outlet.write(3)]).toEqual([undefined, undefined, undefined]); // nobody could read
    expect(await take(reader, 1)).toEqual([0]);
    const next = reader.read();
    expect(await isSettled(next)).toBe(false);
    expect(seen).toEqual([0]);
    outlet.show();
    expect(await next).toEqual({ done: false, value: 1 });
    expect(seen).toEqual([0, 1, 2, 3]);
    expect(outlet.write(4)).toBeInstanceOf(Promise); // and the writer waits again
  });

  it('a writer who waits goes on once all is read that can be, whatever is held behind it', async () => {
    const outlet = filled(2, 1);
    const waiting = outlet.write(1);
    outlet.hold();
    for (const held of [2, 3]) void outlet.write(held);
    await take(outlet.read().getReader(), 2);
    expect(await isSettled(waiting)).toBe(true);
  });

  it('takes back what nobody has seen, and only that', async () => {
    const outlet = filled(32, 2);
    const seenPlace = outlet.place;
    void outlet.write(2);
    expect(outlet.drop(seenPlace)).toBe(false);
    outlet.hold();
    const heldPlace = outlet.place;
    void outlet.write(3);
    outlet.hold(); // is held already
    expect(outlet.drop(seenPlace)).toBe(false);
    expect(outlet.drop(heldPlace)).toBe(true);
    void outlet.write(4);
    outlet.show();
    outlet.close();
    expect(await all(outlet.read())).toEqual([0, 1, 2, 4]);
  });

  it.each(['dropHeld', 'close'] as const)('%s takes back all of it', async (how) => {
    const outlet = filled(32, 2);
    outlet.hold();
    void outlet.write(2);
    outlet[how]();
    outlet.show();
    outlet.close();
    expect(await all(outlet.read())).toEqual([0, 1]);
  });

  it('a reader who waits is woken by what is shown', async () => {
    const outlet = createOutlet<number>();
    outlet.hold();
    const reading = all(outlet.read());
    void outlet.write(1);
    outlet.show();
    outlet.close();
    expect(await reading).toEqual([1]);
  });
});

describe('a long answer', () => {
  interface Said {
    type: string;
    payload?: { id: string; text: string; providerMetadata?: object };
  }
  const count = 20_000;
  /** Two texts that take turns, thoughts, and now and then something that is more than words. */
  const said = (n: number): Said => {
    const payload = { id: n % 6_000 < 3_000 ? 'a' : 'b', text: `${n} ` };
    if (n % 5_000 === 77) return { type: 'tool-call' };
    if (n % 5_000 === 99) return { type: 'text-delta', payload: { ...payload, providerMetadata: { signed: n } } };
    return { type: n % 9_000 < 500 ? 'reasoning-delta' : 'text-delta', payload };
  };
  const written = Array.from({ length: count }, (_, n) => said(n));
  /** What a client makes of chunks: everything that is not words, and the words between. */
  const heard = (chunks: readonly Said[]): string[] =>
    chunks.reduce<string[]>((parts, { type, payload }) => {
      const key = `${type} ${payload?.id ?? ''}${payload?.providerMetadata ? ' signed' : ''}: `;
      const last = parts.at(-1);
      if (payload && last?.startsWith(key)) parts[parts.length - 1] = last + payload.text;
      else parts.push(key + (payload?.text ?? ''));
      return parts;
    }, []);
  const writeTo = async (outlet: Outlet<Said>): Promise<void> => {
    for (const chunk of written) await outlet.write(chunk);
    outlet.close();
  };

  it('is kept as its words: who comes late gets the same in fewer pieces, in order', async () => {
    const outlet = createOutlet<Said>();
    const [first] = await Promise.all([all(outlet.read()), writeTo(outlet)]);
    expect(first).toEqual(written);
    const late = await all(outlet.read());
    expect(heard(late)).toEqual(heard(written));
    expect(late.length).toBeLessThan(count / 2);
    expect(outlet.place).toBe(count);
  });

  it('who reads slowly, or comes while it is written, misses nothing', async () => {
    const outlet = createOutlet<Said>();
    const slow = outlet.read().getReader();
    const begun = await Promise.all([
      take(slow, 10),
      outlet.write(written[0] as Said),
      ...written.slice(1, 10).map((one) => outlet.write(one)),
    ]);
    const fast = outlet.read().getReader();
    await take(fast, 10);
    for (const chunk of written.slice(10, 12_000)) await Promise.all([fast.read(), outlet.write(chunk)]);
    const between = outlet.read().getReader(); // nothing was put together: one has read ten
    expect(await take(between, 3)).toEqual(written.slice(0, 3));
    await slow.cancel();
    await between.cancel();
    for (const chunk of written.slice(12_000)) await Promise.all([fast.read(), outlet.write(chunk)]);
    outlet.close();
    expect(begun[0]).toEqual(written.slice(0, 10));
    expect(heard(await all(outlet.read()))).toEqual(heard(written));
  });

  it('who has read just as far as was put together goes on from there', async () => {
    const outlet = createOutlet<Said>();
    outlet.drain();
    const reader = outlet.read().getReader();
    for (const chunk of written.slice(0, 8_191)) void outlet.write(chunk);
    const begun = await take(reader, 5_000);
    for (const chunk of written.slice(8_191)) void outlet.write(chunk);
    outlet.close();
    expect([...begun, ...(await take(reader, count - 5_000))]).toEqual(written);
  });

  it('who is still among what was put together does not hold up the rest', async () => {
    const outlet = createOutlet<Said>();
    outlet.drain();
    for (const chunk of written.slice(0, 9_000)) void outlet.write(chunk);
    await take(outlet.read().getReader(), 1);
    for (const chunk of written.slice(9_000)) void outlet.write(chunk);
    outlet.close();
    expect((await all(outlet.read())).length).toBeLessThan(count / 2);
  });

  it('what is held is taken back or shown as it was written', async () => {
    const seen: Said[] = [];
    const outlet = createOutlet<Said>(32, (chunk) => void seen.push(chunk));
    outlet.drain();
    for (const chunk of written.slice(0, 9_000)) void outlet.write(chunk);
    outlet.hold();
    for (const chunk of written.slice(9_000, 19_000)) void outlet.write(chunk);
    expect(outlet.held()).toEqual({ chunks: written.slice(9_000, 19_000), from: 9_000 });
    expect(outlet.drop(18_000)).toBe(true);
    expect(outlet.place).toBe(18_000);
    expect(outlet.dropHeld()).toEqual(written.slice(9_000, 18_000));
    for (const chunk of written.slice(9_000, 9_100)) void outlet.write(chunk);
    outlet.show();
    void outlet.write(said(5));
    outlet.close();
    const shown = [...written.slice(0, 9_100), said(5)];
    expect(seen).toEqual(shown);
    expect(heard(await all(outlet.read()))).toEqual(heard(shown));
  });
});
