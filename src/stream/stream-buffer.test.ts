import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStreamBuffer, type StreamBuffer } from './stream-buffer.js';

/** Whether a promise has settled by now. */
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

const filled = (limit: number, count: number): StreamBuffer<number> => {
  const streamBuffer = createStreamBuffer<number>(limit);
  for (let n = 0; n < count; n += 1) void streamBuffer.write(n);
  return streamBuffer;
};

describe('back-pressure', () => {
  it('lets the writer continue below the limit and wait at it', () => {
    const streamBuffer = createStreamBuffer<number>(3);
    expect(streamBuffer.write(0)).toBeUndefined();
    expect(streamBuffer.write(1)).toBeUndefined();
    expect(streamBuffer.write(2)).toBeInstanceOf(Promise);
  });

  it('has a default limit of 32', () => {
    const streamBuffer = filled(32, 0);
    const waits = Array.from({ length: 32 }, (_, n) => streamBuffer.write(n) !== undefined);
    expect(waits.lastIndexOf(false)).toBe(30);
  });

  it('resumes the writer after one chunk is read', async () => {
    const streamBuffer = createStreamBuffer<number>(2);
    void streamBuffer.write(0);
    const waiting = streamBuffer.write(1);
    expect(await isSettled(waiting)).toBe(false);
    const reader = streamBuffer.read().getReader();
    expect(await isSettled(waiting)).toBe(false); // nothing is read ahead
    await reader.read();
    expect(await isSettled(waiting)).toBe(true);
  });

  it('blocks a writer far over the limit until the reader catches up', async () => {
    const streamBuffer = filled(2, 5);
    const waiting = streamBuffer.write(5);
    const reader = streamBuffer.read().getReader();
    await take(reader, 4);
    expect(await isSettled(waiting)).toBe(false);
    await take(reader, 1);
    expect(await isSettled(waiting)).toBe(true);
  });

  it('resumes several waiting writers together', async () => {
    const streamBuffer = filled(1, 0);
    const waiting = [streamBuffer.write(0), streamBuffer.write(1)];
    await take(streamBuffer.read().getReader(), 2);
    expect(await Promise.all(waiting.map(isSettled))).toEqual([true, true]);
  });

  it('limits how far the writer is ahead of a slow reader', async () => {
    const streamBuffer = createStreamBuffer<number>(4);
    let written = 0;
    const writing = (async () => {
      for (; written < 20; written += 1) await streamBuffer.write(written);
      streamBuffer.close();
    })();
    const reader = streamBuffer.read().getReader();
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
  it('drain removes the limit, also for waiting writers', async () => {
    const streamBuffer = filled(1, 0);
    const waiting = streamBuffer.write(0);
    streamBuffer.drain();
    expect(await isSettled(waiting)).toBe(true);
    expect(streamBuffer.write(1)).toBeUndefined();
    streamBuffer.close();
    expect(await all(streamBuffer.read())).toEqual([0, 1]);
  });

  it('close ends the readers and releases the writers', async () => {
    const streamBuffer = filled(1, 0);
    const waiting = streamBuffer.write(0);
    const reading = all(streamBuffer.read());
    streamBuffer.close();
    expect(await isSettled(waiting)).toBe(true);
    expect(await reading).toEqual([0]);
    expect(streamBuffer.closed).toBe(true);
  });

  it('close releases a writer without a reader', async () => {
    const streamBuffer = filled(1, 0);
    const waiting = streamBuffer.write(0);
    streamBuffer.close();
    expect(await isSettled(waiting)).toBe(true);
  });

  it('close discards later chunks, and a second close has no effect', async () => {
    const streamBuffer = filled(2, 1);
    expect(streamBuffer.closed).toBe(false);
    streamBuffer.close();
    expect(streamBuffer.write(1)).toBeUndefined();
    streamBuffer.close();
    expect(await all(streamBuffer.read())).toEqual([0]);
  });

  it('close wakes a waiting reader', async () => {
    const streamBuffer = createStreamBuffer<number>();
    const reading = streamBuffer.read().getReader().read();
    expect(await isSettled(reading)).toBe(false);
    streamBuffer.close();
    expect(await reading).toEqual({ done: true, value: undefined });
  });
});

describe('readers', () => {
  it('read from the start if they are late', async () => {
    const streamBuffer = filled(32, 3);
    const early = streamBuffer.read().getReader();
    await take(early, 3);
    const late = streamBuffer.read().getReader();
    void streamBuffer.write(3);
    expect(await take(late, 4)).toEqual([0, 1, 2, 3]);
    expect(await take(early, 1)).toEqual([3]);
    streamBuffer.close();
    expect(await all(streamBuffer.read())).toEqual([0, 1, 2, 3]);
  });

  it('all receive every chunk, and the fastest sets the pace', async () => {
    const streamBuffer = createStreamBuffer<number>(2);
    const [fast, slow] = [streamBuffer.read().getReader(), streamBuffer.read().getReader()];
    void streamBuffer.write(0);
    const waiting = streamBuffer.write(1);
    await take(slow, 1);
    await take(fast, 2);
    expect(await isSettled(waiting)).toBe(true);
    expect(await take(slow, 1)).toEqual([1]);
    expect(streamBuffer.write(2)).toBeUndefined();
    expect(await take(fast, 1)).toEqual([2]);
    const [third, fourth] = [streamBuffer.write(3), streamBuffer.write(4)];
    expect(await take(fast, 2)).toEqual([3, 4]);
    expect(await take(slow, 1)).toEqual([2]); // a slow reader that does not block the others
    expect(streamBuffer.write(5)).toBeUndefined();
    streamBuffer.close();
    expect(await take(slow, 3)).toEqual([3, 4, 5]);
    expect([third, await isSettled(fourth)]).toEqual([undefined, true]);
  });

  it('remove the limit when the last active one leaves', async () => {
    const streamBuffer = createStreamBuffer<number>(1);
    const stream = streamBuffer.read();
    const waiting = streamBuffer.write(0);
    const reader = stream.getReader();
    await reader.read();
    expect(await isSettled(waiting)).toBe(true);
    const more = streamBuffer.write(1);
    expect(await isSettled(more)).toBe(false);
    await reader.cancel();
    expect(await isSettled(more)).toBe(true);
    expect(streamBuffer.write(2)).toBeUndefined();
  });

  it('set the pace alone after the other one of two leaves', async () => {
    const streamBuffer = createStreamBuffer<number>(1);
    const [canceled, stays] = [streamBuffer.read().getReader(), streamBuffer.read().getReader()];
    void streamBuffer.write(0);
    await Promise.all([take(canceled, 1), take(stays, 1)]);
    await canceled.cancel();
    const waiting = streamBuffer.write(1);
    expect(await isSettled(waiting)).toBe(false);
    await take(stays, 1);
    expect(await isSettled(waiting)).toBe(true);
  });

  it('do not block the writer before their first read', async () => {
    const streamBuffer = createStreamBuffer<number>(1);
    const reader = streamBuffer.read().getReader();
    streamBuffer.read();
    const waiting = streamBuffer.write(0);
    await take(reader, 1);
    expect(await isSettled(waiting)).toBe(true);
    await reader.cancel();
    expect(streamBuffer.write(1)).toBeUndefined();
  });

  it('remove the limit if the only stream is canceled before it is read', async () => {
    const streamBuffer = createStreamBuffer<number>(1);
    const stream = streamBuffer.read();
    const waiting = streamBuffer.write(0);
    await stream.cancel();
    expect(await isSettled(waiting)).toBe(true);
  });

  it('do not affect later chunks if they leave while waiting', async () => {
    const streamBuffer = createStreamBuffer<number>();
    const [canceled, stays] = [streamBuffer.read().getReader(), streamBuffer.read().getReader()];
    const reading = [canceled.read(), stays.read()];
    await wait(0);
    await canceled.cancel();
    void streamBuffer.write(0);
    streamBuffer.close();
    expect(await reading[0]).toEqual({ done: true, value: undefined });
    expect(await reading[1]).toEqual({ done: false, value: 0 });
    expect(await all(streamBuffer.read())).toEqual([0]);
  });

  it('do not block the writer after they break out of a loop', async () => {
    const streamBuffer = filled(32, 3);
    for await (const chunk of streamBuffer.read()) if (chunk === 1) break;
    expect(Array.from({ length: 64 }, (_, n) => streamBuffer.write(n)).every((waiting) => waiting === undefined)).toBe(true);
  });
});

it('law: for any interleaving, every reader receives all chunks in order, and the writer ends', async () => {
  const readers = fc.array(fc.record({ late: fc.nat(6), leaves: fc.option(fc.nat(8)) }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.nat(12),
      readers,
      fc.scheduler(),
      async (limit, count, plans, scheduler) => {
        const streamBuffer = createStreamBuffer<number>(limit);
        const tick = () => scheduler.schedule(Promise.resolve());
        const chunks = Array.from({ length: count }, (_, n) => n);
        const write = async () => {
          for (const chunk of chunks) {
            await tick();
            await streamBuffer.write(chunk);
          }
          streamBuffer.close();
        };
        const read = async ({ late, leaves }: { late: number; leaves: number | null }) => {
          for (let turn = 0; turn < late; turn += 1) await tick();
          const taken: number[] = [];
          for await (const chunk of streamBuffer.read()) {
            if (leaves !== null && taken.length >= leaves) break;
            taken.push(chunk);
            await tick();
          }
          expect(taken).toEqual(leaves === null ? chunks : chunks.slice(0, leaves));
        };
        await scheduler.waitFor(Promise.all([write(), ...plans.map(read)]));
        expect(streamBuffer.closed).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
});

describe('buffering', () => {
  it('hides later chunks until a flush', async () => {
    const seen: number[] = [];
    const streamBuffer = createStreamBuffer<number>(2, (chunk) => void seen.push(chunk));
    const reader = streamBuffer.read().getReader();
    void streamBuffer.write(0);
    streamBuffer.startBuffering();
    expect([streamBuffer.write(1), streamBuffer.write(2), streamBuffer.write(3)]).toEqual([undefined, undefined, undefined]); // no reader can see them
    expect(await take(reader, 1)).toEqual([0]);
    const next = reader.read();
    expect(await isSettled(next)).toBe(false);
    expect(seen).toEqual([0]);
    streamBuffer.flush();
    expect(await next).toEqual({ done: false, value: 1 });
    expect(seen).toEqual([0, 1, 2, 3]);
    expect(streamBuffer.write(4)).toBeInstanceOf(Promise); // and the writer waits again
  });

  it('resumes a waiting writer after all visible chunks are read', async () => {
    const streamBuffer = filled(2, 1);
    const waiting = streamBuffer.write(1);
    streamBuffer.startBuffering();
    for (const chunk of [2, 3]) void streamBuffer.write(chunk);
    await take(streamBuffer.read().getReader(), 2);
    expect(await isSettled(waiting)).toBe(true);
  });

  it('drops only chunks that no reader has seen', async () => {
    const streamBuffer = filled(32, 2);
    const readOffset = streamBuffer.offset;
    void streamBuffer.write(2);
    expect(streamBuffer.drop(readOffset)).toBe(false);
    streamBuffer.startBuffering();
    const bufferedOffset = streamBuffer.offset;
    void streamBuffer.write(3);
    streamBuffer.startBuffering(); // already buffering
    expect(streamBuffer.drop(readOffset)).toBe(false);
    expect(streamBuffer.drop(bufferedOffset)).toBe(true);
    void streamBuffer.write(4);
    streamBuffer.flush();
    streamBuffer.close();
    expect(await all(streamBuffer.read())).toEqual([0, 1, 2, 4]);
  });

  it.each(['dropBuffered', 'close'] as const)('%s drops all buffered chunks', async (how) => {
    const streamBuffer = filled(32, 2);
    streamBuffer.startBuffering();
    void streamBuffer.write(2);
    streamBuffer[how]();
    streamBuffer.flush();
    streamBuffer.close();
    expect(await all(streamBuffer.read())).toEqual([0, 1]);
  });

  it('wakes a waiting reader at a flush', async () => {
    const streamBuffer = createStreamBuffer<number>();
    streamBuffer.startBuffering();
    const reading = all(streamBuffer.read());
    void streamBuffer.write(1);
    streamBuffer.flush();
    streamBuffer.close();
    expect(await reading).toEqual([1]);
  });
});

describe('a long answer', () => {
  interface TextChunk {
    type: string;
    payload?: { id: string; text: string; providerMetadata?: object };
  }
  const count = 20_000;
  /** Two alternating texts, reasoning, and some chunks that contain more than text. */
  const chunkAt = (n: number): TextChunk => {
    const payload = { id: n % 6_000 < 3_000 ? 'a' : 'b', text: `${n} ` };
    if (n % 5_000 === 77) return { type: 'tool-call' };
    if (n % 5_000 === 99) return { type: 'text-delta', payload: { ...payload, providerMetadata: { signed: n } } };
    return { type: n % 9_000 < 500 ? 'reasoning-delta' : 'text-delta', payload };
  };
  const written = Array.from({ length: count }, (_, n) => chunkAt(n));
  /** A client's view of chunks: all chunks other than text, and the text between them. */
  const textsOf = (chunks: readonly TextChunk[]): string[] =>
    chunks.reduce<string[]>((parts, { type, payload }) => {
      const key = `${type} ${payload?.id ?? ''}${payload?.providerMetadata ? ' signed' : ''}: `;
      const last = parts.at(-1);
      if (payload && last?.startsWith(key)) parts[parts.length - 1] = last + payload.text;
      else parts.push(key + (payload?.text ?? ''));
      return parts;
    }, []);
  const writeTo = async (streamBuffer: StreamBuffer<TextChunk>): Promise<void> => {
    for (const chunk of written) await streamBuffer.write(chunk);
    streamBuffer.close();
  };

  it('is stored as joined text, which a late reader receives in fewer chunks', async () => {
    const streamBuffer = createStreamBuffer<TextChunk>();
    const [first] = await Promise.all([all(streamBuffer.read()), writeTo(streamBuffer)]);
    expect(first).toEqual(written);
    const late = await all(streamBuffer.read());
    expect(textsOf(late)).toEqual(textsOf(written));
    expect(late.length).toBeLessThan(count / 2);
    expect(streamBuffer.offset).toBe(count);
  });

  it('is complete for a slow or late reader', async () => {
    const streamBuffer = createStreamBuffer<TextChunk>();
    const slow = streamBuffer.read().getReader();
    const first = await Promise.all([
      take(slow, 10),
      streamBuffer.write(written[0] as TextChunk),
      ...written.slice(1, 10).map((one) => streamBuffer.write(one)),
    ]);
    const fast = streamBuffer.read().getReader();
    await take(fast, 10);
    for (const chunk of written.slice(10, 12_000)) await Promise.all([fast.read(), streamBuffer.write(chunk)]);
    const between = streamBuffer.read().getReader(); // nothing was joined: one reader has read ten
    expect(await take(between, 3)).toEqual(written.slice(0, 3));
    await slow.cancel();
    await between.cancel();
    for (const chunk of written.slice(12_000)) await Promise.all([fast.read(), streamBuffer.write(chunk)]);
    streamBuffer.close();
    expect(first[0]).toEqual(written.slice(0, 10));
    expect(textsOf(await all(streamBuffer.read()))).toEqual(textsOf(written));
  });

  it('continues for a reader at the end of the joined range', async () => {
    const streamBuffer = createStreamBuffer<TextChunk>();
    streamBuffer.drain();
    const reader = streamBuffer.read().getReader();
    for (const chunk of written.slice(0, 8_191)) void streamBuffer.write(chunk);
    const first = await take(reader, 5_000);
    for (const chunk of written.slice(8_191)) void streamBuffer.write(chunk);
    streamBuffer.close();
    expect([...first, ...(await take(reader, count - 5_000))]).toEqual(written);
  });

  it('is joined despite a reader inside the joined range', async () => {
    const streamBuffer = createStreamBuffer<TextChunk>();
    streamBuffer.drain();
    for (const chunk of written.slice(0, 9_000)) void streamBuffer.write(chunk);
    await take(streamBuffer.read().getReader(), 1);
    for (const chunk of written.slice(9_000)) void streamBuffer.write(chunk);
    streamBuffer.close();
    expect((await all(streamBuffer.read())).length).toBeLessThan(count / 2);
  });

  it('keeps buffered chunks unchanged until they are dropped or flushed', async () => {
    const seen: TextChunk[] = [];
    const streamBuffer = createStreamBuffer<TextChunk>(32, (chunk) => void seen.push(chunk));
    streamBuffer.drain();
    for (const chunk of written.slice(0, 9_000)) void streamBuffer.write(chunk);
    streamBuffer.startBuffering();
    for (const chunk of written.slice(9_000, 19_000)) void streamBuffer.write(chunk);
    expect(streamBuffer.buffered()).toEqual({ chunks: written.slice(9_000, 19_000), from: 9_000 });
    expect(streamBuffer.drop(18_000)).toBe(true);
    expect(streamBuffer.offset).toBe(18_000);
    expect(streamBuffer.dropBuffered()).toEqual(written.slice(9_000, 18_000));
    for (const chunk of written.slice(9_000, 9_100)) void streamBuffer.write(chunk);
    streamBuffer.flush();
    void streamBuffer.write(chunkAt(5));
    streamBuffer.close();
    const kept = [...written.slice(0, 9_100), chunkAt(5)];
    expect(seen).toEqual(kept);
    expect(textsOf(await all(streamBuffer.read()))).toEqual(textsOf(kept));
  });
});

describe('chunks with a pending approval', () => {
  const deferred = new Map<number, (mayLeave: boolean) => void>();
  const waitingBuffer = () =>
    createStreamBuffer<number>(32, (n) => (n < 0 ? undefined : new Promise((resolve) => deferred.set(n, resolve))));

  it('are read in order once they are approved, and never if they are rejected', async () => {
    const streamBuffer = waitingBuffer();
    for (const n of [-1, 1, -2, 2]) void streamBuffer.write(n);
    const taken: number[] = [];
    const reading = (async () => {
      for await (const n of streamBuffer.read()) taken.push(n);
    })();
    await wait(0);
    expect(taken).toEqual([-1]);
    deferred.get(2)?.(true);
    await wait(0);
    expect(taken).toEqual([-1]);
    deferred.get(1)?.(false);
    await wait(0);
    expect(taken).toEqual([-1, -2, 2]);
    streamBuffer.close();
    await reading;
    expect(await all(streamBuffer.read())).toEqual([-1, -2, 2]);
  });

  it('are not joined before they are approved', async () => {
    const streamBuffer = waitingBuffer();
    void streamBuffer.write(1);
    for (let n = 0; n < 10_000; n += 1) void streamBuffer.write(-2);
    streamBuffer.close();
    const reader = streamBuffer.read().getReader();
    const first = reader.read();
    expect(await isSettled(first)).toBe(false);
    deferred.get(1)?.(true);
    expect((await first).value).toBe(1);
  });
});
