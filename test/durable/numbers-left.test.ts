import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { TakenOver } from '../../src/durable/journal.js';
import { InterlockAgent } from '../../src/index.js';
import type { Board } from '../../src/durable/journal.js';
import type { Durable, Engine } from '../../src/engine.js';
import { memoryBoard } from '../../src/durable/memory-engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { createDisk, mortalEngine, type Disk } from './mortal-engine.js';

interface StreamedChunk {
  readonly type: string;
  readonly payload?: { readonly id?: string; readonly text?: string };
  readonly data?: { readonly partIds: readonly string[] };
  readonly metadata?: { readonly sequence?: number };
}

const words = 'one two three four five six'.split(' ');

/** The model emits a word every 10 ms, with another text in each call. */
const speaker = (durability: Engine, life: string) =>
  new InterlockAgent({
    id: 'speaker',
    name: 'Speaker',
    instructions: 'Speak.',
    model: scriptedModel({ steps: () => ({ text: words.map((word) => `${life} ${word} `), delayMs: 10 }) }),
    durability,
  });

/** A disk with another early write of records. */
const diskWith = (change: (publish: Durable['publish']) => Durable['publish']): Disk => {
  const disk = createDisk();
  return { ...disk, publish: change(disk.publish) };
};

const full = () => Promise.reject(new Error('The disk is full.'));

const read = async (stream: { fullStream: ReadableStream<object> }, see: (chunk: StreamedChunk) => unknown): Promise<void> => {
  for await (const chunk of stream.fullStream as unknown as AsyncIterable<StreamedChunk>) await see(chunk);
};

/** Reads a stream, and records for each chunk whether the board had it under its number when it left. */
const numbersOf = async (agent: InterlockAgent, board: Board) => {
  const seen: { type: string; sequence: number | undefined; isKept: boolean }[] = [];
  await read(await agent.stream('Speak.', { runId: 'run' }), async ({ type, metadata }) => {
    const entry = (await board.read('run', metadata?.sequence ?? Infinity))[0];
    seen.push({ type, sequence: metadata?.sequence, isKept: entry?.includes(`"${type}"`) ?? false });
  });
  return seen;
};

describe('a process that no longer owns its run', () => {
  it('adds nothing to the stream of the new owner', async () => {
    const disk = createDisk();
    const seen: StreamedChunk[] = [];
    const reading = read(await speaker(mortalEngine(disk), 'a').stream('Speak.', { runId: 'run' }), (chunk) => seen.push(chunk));
    await expect.poll(() => seen.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(1);
    speaker(mortalEngine(disk), 'b');
    await reading;
    const [, taken] = await disk.board.marked('run', 'life');
    const after = (await disk.board.read('run', taken?.place ?? 0)).filter((entry) => entry.includes('text-delta'));
    expect(after.length).toBeGreaterThan(1);
    expect(after.filter((entry) => /"a \w+ "/.test(entry))).toEqual([]);
    expect(seen.filter(({ metadata }) => (metadata?.sequence ?? 0) > (taken?.place ?? 0))).toEqual([]);
  });
});

describe('an emitted sequence number belongs to a persisted entry', () => {
  it('if a write takes longer than a word', async () => {
    const disk = diskWith((publish) => (append) => sleep(30).then(() => publish(append)));
    const seen = await numbersOf(speaker(mortalEngine(disk), 'a'), disk.board);
    expect(seen.filter(({ isKept }) => !isKept)).toEqual([]);
    expect(seen.filter(({ type }) => type === 'text-delta')).toHaveLength(words.length);
  });

  it('if writes fail for a while', async () => {
    let tries = 0;
    const disk = diskWith((publish) => async (append) => {
      tries += 1;
      return tries > 2 && tries < 7 ? full() : publish(append);
    });
    const seen = await numbersOf(speaker(mortalEngine(disk), 'a'), disk.board);
    expect(seen.filter(({ isKept }) => !isKept)).toEqual([]);
    expect(seen.filter(({ type }) => type === 'text-delta')).toHaveLength(words.length);
  });

  it('if every early write fails after the first, or its answer is lost: the records are stored with their section, once', async () => {
    const screens: unknown[] = [];
    for (const isStored of [true, false]) {
      const disk = diskWith((publish) => async (append) => {
        if (append.at === undefined) return publish(append);
        if (isStored) await publish(append);
        return full();
      });
      const seen = await numbersOf(speaker(mortalEngine(disk), 'a'), disk.board);
      expect(seen.filter(({ isKept }) => !isKept)).toEqual([]);
      const followed: StreamedChunk[] = [];
      await read(await speaker(mortalEngine(disk), 'b').attach('run', { from: 0 }), (chunk) => followed.push(chunk));
      expect(followed.map(({ type }) => type)).toEqual(seen.map(({ type }) => type));
      screens.push(screenOf(followed));
    }
    const text = words.map((word) => `a ${word} `).join('');
    expect(screens).toEqual([text, text]);
  });

  it('a process that no longer owns its run emits no unwritten text', async () => {
    let tries = 0;
    const disk = diskWith((publish) => async (append) => {
      tries += 1;
      return tries > 2 ? full() : publish(append);
    });
    const { engine, lost } = losing(mortalEngine(disk), 'review');
    const seen: StreamedChunk[] = [];
    void read(await speaker(engine, 'a').stream('Speak.', { runId: 'run' }), (chunk) => seen.push(chunk));
    await lost;
    await sleep(100);
    expect(tries).toBeGreaterThan(2);
    expect(seen.filter(({ metadata }) => metadata?.sequence === undefined)).toEqual([]);
  });
});

/** An engine that takes a run away from its process after a section, as if another process had it. */
const losing = (engine: Engine, section: string): { readonly engine: Engine; readonly lost: Promise<void> } => {
  let markLost: () => void = () => undefined;
  const lost = new Promise<void>((resolve) => (markLost = resolve));
  const host: Engine['host'] = (program) =>
    engine.host({
      ...program,
      run: async (durable, call) => {
        const step: typeof durable.step = async (key, ...rest) => {
          const text = await durable.step(key, ...rest);
          if (key.endsWith(section)) throw new Error('The run is lost.');
          return text;
        };
        try {
          return await program.run({ ...durable, step }, call);
        } catch {
          markLost();
          return new Promise<never>(() => undefined);
        }
      },
    });
  return { engine: { ...engine, host }, lost };
};

/** The words on a client's screen: retracted parts are removed, and a repeated number changes nothing. */
const screenOf = (chunks: readonly StreamedChunk[]): string => {
  const retracted = new Set(chunks.flatMap(({ data }) => data?.partIds ?? []));
  return chunks
    .filter(({ type, payload }) => type === 'text-delta' && !retracted.has(payload?.id ?? ''))
    .map(({ payload }) => payload?.text)
    .join('');
};

it('a client of a process killed during a write continues from its last number with the complete text', async () => {
  for (let left = 1; left <= 8; left += 1) {
    let isDead = false;
    let writes = 0;
    const { board: stored, ...rest } = createDisk();
    const append: typeof stored.append = (those) => {
      if (isDead) throw new TakenOver();
      return stored.append(those);
    };
    const disk: Disk = {
      ...rest,
      board: { ...stored, append },
      publish: (those) => {
        writes += 1;
        isDead ||= writes > left;
        return isDead ? new Promise<never>(() => undefined) : rest.publish(those); // killed before the write
      },
    };
    const [client, before] = [[] as StreamedChunk[], mortalEngine({ ...disk }, Infinity)];
    const stream = await speaker(before, 'a').stream('Speak.', { runId: 'run' });
    void read(stream, (chunk) => client.push(chunk));
    await sleep(150);

    const board = memoryBoard();
    const kept: Disk = { runs: copyOfRuns(disk), board, publish: async (those) => board.append(those) };
    const lives = new Set((await disk.board.marked('run', 'life')).map(({ text }) => text));
    const entries = await disk.board.read('run', 0);
    board.append({ runId: 'run', entries: entries.map((text) => ({ text, mark: lives.has(text) ? 'life' : undefined })) });
    const last = client.findLast(({ metadata }) => metadata?.sequence !== undefined)?.metadata?.sequence ?? -1;
    const seen = [...client];
    const agent = speaker(mortalEngine(kept), 'b');
    await read(await agent.attach('run', { from: last + 1 }), (chunk) => seen.push(chunk));
    expect(screenOf(seen), `${left} writes`).toBe(words.map((word) => `b ${word} `).join(''));
  }
});

/** The current runs on the disk: a dead process adds nothing. */
const copyOfRuns = ({ runs }: Disk): Disk['runs'] =>
  new Map([...runs].map(([id, { call, kept }]) => [id, { call, kept: new Map(kept) }]));
