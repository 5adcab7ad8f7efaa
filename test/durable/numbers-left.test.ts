import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { InterlockAgent, type Board, type Engine, type ProgramRuns } from '../../src/index.js';
import type { Chunk } from '../../src/loop/ports.js';
import type { Journal, Run } from '../../src/loop/run.js';
import { hostCoded } from '../../src/mastra/durable/run-operations.js';
import type { PersistedCall } from '../../src/mastra/durable/persisted-segment.js';
import { createPublisher, type Publisher } from '../../src/mastra/durable/publisher.js';
import { createEntryParser } from '../../src/mastra/durable/run-entry.js';
import { memoryBoard } from '../../src/durable/memory-board.js';
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

const diskWith = (change: (board: Board) => Partial<Board>): Disk => {
  const board = memoryBoard();
  return { ...createDisk(), board: { ...board, ...change(board) } };
};

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

  it('blocks the owner at most until its next section', async () => {
    const shared = memoryBoard();
    const { board = shared } = hostCoded(
      { ...mortalEngine(createDisk()), host: () => ({ board: shared }) as unknown as ProgramRuns }, // only the board is used
      { id: 'speaker', run: async () => '' },
    );
    const call: PersistedCall = { runId: 'run', mode: 'stream', messages: [], options: {} };
    const [owner, lost] = [0, 0].map((sitting) => createPublisher({ board, sitting, call })) as [Publisher, Publisher];
    await owner.open();
    await lost.open(); // it was stopped before it reached this point
    const chunk: Chunk = { type: 'data-words', runId: 'run', from: 'AGENT', data: 'mine' };
    const emission = owner.show(chunk);
    await owner.flush();
    expect(await shared.read('run', 0)).toHaveLength(2);
    const journal = { checkpoint: (_run: unknown, _key: string, body: () => unknown) => body() } as unknown as Journal;
    const buffered = () => ({ chunks: [] });
    const state = { counters: { stepNumber: 0, attempt: 1 } };
    const run = { state, usedPartIds: new Set(), options: { streamBuffer: { buffered } } };
    await owner.around(journal).checkpoint(run as unknown as Run, '1 call', async () => undefined); // the fields of a run that it reads
    expect([await emission, chunk.metadata?.['sequence']]).toEqual([true, 3]);
    const parser = createEntryParser('run');
    expect(parser.take(await shared.read('run', 0)).map(({ life }) => life)).toEqual([owner.life]);
  });
});

describe('an emitted sequence number belongs to a persisted entry', () => {
  it('if a write takes longer than a word', async () => {
    const disk = diskWith((board) => ({ append: (...args) => sleep(30).then(() => board.append(...args)) }));
    const seen = await numbersOf(speaker(mortalEngine(disk), 'a'), disk.board);
    expect(seen.filter(({ isKept }) => !isKept)).toEqual([]);
    expect(seen.filter(({ type }) => type === 'text-delta')).toHaveLength(words.length);
  });

  it('if writes fail for a while', async () => {
    let tries = 0;
    const disk = diskWith((board) => ({
      append: async (...args) => {
        tries += 1;
        if (tries > 2 && tries < 7) throw new Error('The disk is full.');
        return board.append(...args);
      },
    }));
    const seen = await numbersOf(speaker(mortalEngine(disk), 'a'), disk.board);
    expect(seen.filter(({ isKept }) => !isKept)).toEqual([]);
    expect(seen.filter(({ type }) => type === 'text-delta')).toHaveLength(words.length);
  });

  it('if an abandoned process writes in between', async () => {
    const disk = diskWith((board) => ({
      append: async (runId, entries) => {
        const late = JSON.stringify({ kind: 'chunk', life: 'given up', stretch: '', at: { stepNumber: 0, attempt: 1 } });
        await board.append(runId, [{ text: `${late}\n[{"type":1},"late"]` }]);
        return board.append(runId, entries);
      },
    }));
    const seen = await numbersOf(speaker(mortalEngine(disk), 'a'), disk.board);
    expect(seen.filter(({ isKept }) => !isKept)).toEqual([]);
  });

  it('readers get no numbers if every write fails', async () => {
    const disk = diskWith(() => ({ append: () => Promise.reject(new Error('The disk is full.')) }));
    const seen = await numbersOf(speaker(mortalEngine(disk), 'a'), disk.board);
    expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map(() => undefined));
    expect(seen.filter(({ type }) => type === 'text-delta')).toHaveLength(words.length);
  });

  it('a process that no longer owns its run emits no unwritten text', async () => {
    let tries = 0;
    const disk = diskWith((board) => ({
      append: async (...args) => {
        tries += 1;
        if (tries > 2) throw new Error('The disk is full.');
        return board.append(...args);
      },
    }));
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
        const step: typeof durable.step = async (key, body) => {
          const text = await durable.step(key, body);
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
    const disk = diskWith((board) => {
      let writes = 0;
      return {
        append: (...args) => {
          writes += 1;
          isDead ||= writes > left;
          return isDead ? new Promise<never>(() => undefined) : board.append(...args); // killed before the write
        },
      };
    });
    const [client, before] = [[] as StreamedChunk[], mortalEngine({ ...disk }, Infinity)];
    const stream = await speaker(before, 'a').stream('Speak.', { runId: 'run' });
    void read(stream, (chunk) => client.push(chunk));
    await sleep(150);

    const kept: Disk = { runs: copyOfRuns(disk), board: memoryBoard() };
    const lives = new Set((await disk.board.marked('run', 'life')).map(({ text }) => text));
    const entries = await disk.board.read('run', 0);
    await kept.board.append(
      'run',
      entries.map((text) => ({ text, mark: lives.has(text) ? 'life' : undefined })),
    );
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
