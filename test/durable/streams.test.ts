import { setTimeout } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import type { ProgramRuns } from '../../src/durable/journal.js';
import { InterlockAgent, memoryEngine } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import type { TraceRecorder } from '../../src/replay.js';
import { scriptedModel } from '../../src/testing/index.js';
import { createDisk, mortalEngine, type Disk } from './mortal-engine.js';
import { approving, scenarios, type Scenario } from './scenarios.js';

const prompt = 'Please charge me.';

interface StreamedChunk {
  readonly type: string;
  readonly payload?: { readonly id?: string; readonly text?: string; readonly result?: unknown };
  readonly data?: { readonly partIds: string[]; readonly attempt: number; readonly stepNumber: number };
  readonly metadata?: { readonly sequence: number };
}

const chunksOf = async (stream: { readonly fullStream: ReadableStream<object> }): Promise<StreamedChunk[]> => {
  const chunks: StreamedChunk[] = [];
  for await (const chunk of stream.fullStream as unknown as AsyncIterable<StreamedChunk>) chunks.push(chunk);
  return chunks;
};

const sequencesOf = (chunks: readonly StreamedChunk[]): number[] => chunks.map(({ metadata }) => metadata?.sequence ?? -1);

/** The final state of a reader's screen: words by part, without retracted ones, and the results of tools. */
const screenOf = (chunks: readonly StreamedChunk[]) => {
  const retracted = new Set(chunks.flatMap(({ data, type }) => (type === 'data-interlock-retract' ? (data?.partIds ?? []) : [])));
  const deltas = chunks.filter(({ type, payload }) => type === 'text-delta' && !retracted.has(payload?.id ?? ''));
  return {
    text: deltas.map(({ payload }) => payload?.text).join(''),
    results: chunks.filter(({ type }) => type === 'tool-result').map(({ payload }) => payload?.result),
    told: ['start', 'step-start', 'step-finish', 'finish'].map(
      (chunkType) => chunks.filter(({ type }) => type === chunkType).length,
    ),
  };
};

const attachIn = (disk: Disk, { agent }: Scenario, from?: number) =>
  agent({ durability: mortalEngine(disk) }).attach('run', { from });

describe.each(['tools', 'guards', 'guardsHeld', 'overlap', 'holding'])('the stream of a run killed at any point (%s)', (name) => {
  const make = scenarios[name] as () => Scenario;

  it('is one stream for followers in other processes, and continues from any position', async () => {
    const disk = createDisk();
    const whole = mortalEngine(disk);
    const scenario = make();
    const own = await chunksOf(await scenario.agent({ durability: whole }).stream(prompt, { runId: 'run' }));
    const all = await chunksOf(await attachIn(disk, scenario, 0));
    expect(all.map(({ type }) => type)).toEqual(own.map(({ type }) => type));
    const cut = Math.floor(all.length / 2);
    const rest = await chunksOf(await attachIn(disk, scenario, sequencesOf(all)[cut]));
    expect(rest).toEqual(all.slice(cut));

    for (const [dieAt, boundary] of whole.passed.entries()) {
      const killed = make();
      const abandoned = createDisk();
      const dying = mortalEngine(abandoned, dieAt);
      void killed
        .agent({ durability: dying })
        .generate(prompt, { runId: 'run' })
        .catch(() => undefined);
      await dying.died;
      const seen = await chunksOf(await attachIn(abandoned, killed, 0));
      const label = `${boundary.at} ${boundary.key}`;
      const sequences = sequencesOf(seen);
      expect(sequences, label).toEqual([...new Set(sequences)].toSorted((a, b) => a - b));

      expect(screenOf(seen), label).toEqual(screenOf(all));
    }
  });
});

describe('the published entries of a run', () => {
  /** A run of so many steps, each with one tool call. */
  const longRun = (durability: Engine, steps: number) => {
    const look = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema: z.object({}),
      execute: async () => 'nothing new '.repeat(20),
    });
    const model = scriptedModel({
      steps: ({ index }) => (index < steps - 1 ? { toolCalls: [{ name: 'look', args: {} }] } : { text: 'Done.' }),
    });
    const config = { id: 'looker', name: 'Looker', instructions: 'Look.', model, tools: { look }, durability };
    return new InterlockAgent(config).stream(prompt, { runId: 'run', maxSteps: steps });
  };

  it('grows by the same size with each step', async () => {
    const disk = createDisk();
    await (await longRun(mortalEngine(disk), 24)).consumeStream();
    const ends = (await disk.board.read('run', 0))
      .filter((entry) => entry.includes('"step-finish"'))
      .map((entry) => entry.length);
    expect(ends).toHaveLength(24);
    expect(ends[22]).toBeLessThan(1.1 * (ends[2] ?? 0));
  });

  it('is complete for followers, with the same sequence numbers as in the calling process', async () => {
    const disk = createDisk();
    const own = await chunksOf(await longRun(mortalEngine(disk), 6));
    const scenario = { agent: (given: object) => attachable(given) } as unknown as Scenario;
    const restored = await chunksOf(await attachIn(disk, scenario, 0));
    expect(sequencesOf(own)).toEqual(sequencesOf(restored));
    expect(restored.at(-1)?.payload).toEqual(own.at(-1)?.payload); // `finish`: text, usage, messages
    const stepsIn = (chunks: readonly StreamedChunk[]) =>
      chunks
        .filter(({ type }) => type === 'step-finish')
        .map(({ payload }) => (payload as { output: { steps: object[] } }).output.steps.length);
    expect([stepsIn(own), stepsIn(restored)]).toEqual([
      [1, 2, 3, 4, 5, 6],
      [1, 2, 3, 4, 5, 6],
    ]);
    const cut = own[Math.floor(own.length / 2)];
    const rest = await chunksOf(await attachIn(disk, scenario, cut?.metadata?.sequence));
    expect(sequencesOf(rest)).toEqual(sequencesOf(own.slice(Math.floor(own.length / 2))));
  });

  it('also has a number for each partial object', async () => {
    const model = scriptedModel({ steps: [{ text: ['{"a":', '"b', 'c"}'] }] });
    const agent = new InterlockAgent({ id: 'maker', name: 'Maker', instructions: 'Make.', model, durability: memoryEngine() });
    const chunks = await chunksOf(await agent.stream(prompt, { structuredOutput: { schema: z.object({ a: z.string() }) } }));
    expect(chunks.map(({ type }) => type)).toContain('object');
    expect(sequencesOf(chunks)).not.toContain(-1);
  });

  const attachable = (given: object) =>
    new InterlockAgent({ id: 'looker', name: 'Looker', instructions: 'Look.', model: scriptedModel({ steps: [] }), ...given });

  it('rejects a call with the id of a run and other messages; the same call follows the run', async () => {
    const disk = createDisk();
    const agent = (scenarios['tools'] as () => Scenario)().agent({ durability: mortalEngine(disk) });
    const first = await agent.generate(prompt, { runId: 'run' });
    expect((await agent.generate(prompt, { runId: 'run' })).text).toBe(first.text);
    await expect(agent.generate('Something else.', { runId: 'run' })).rejects.toMatchObject({
      code: 'durable/other-input',
      path: 'run',
    });
  });
});

describe('the index of waiting runs', () => {
  it('is not touched by a run that never waits', async () => {
    const pins: string[] = [];
    const disk = createDisk();
    const board: Disk['board'] = { ...disk.board, pin: async (...args) => (pins.push(args[0]), disk.board.pin(...args)) };
    const agentOf = ({ agent }: Scenario) => agent({ durability: mortalEngine({ ...disk, board }) });
    await agentOf((scenarios['tools'] as () => Scenario)()).generate(prompt, { runId: 'straight' });
    expect(pins).toEqual([]);
    await agentOf(approving()).generate(prompt, { runId: 'waits' });
    expect(pins).toEqual(['1:waits']);
  });

  /** A process that changes the index late: it has lost the run meanwhile. */
  const lateProcess = (disk: Disk) => {
    const late = Promise.withResolvers<void>();
    const changes: Promise<void>[] = [];
    const pin: Disk['board']['pin'] = (...args) => {
      const change = late.promise.then(async () => disk.board.pin(...args));
      changes.push(change);
      return change;
    };
    return {
      engine: mortalEngine({ ...disk, board: { ...disk.board, pin } }),
      changes,
      act: async () => {
        late.resolve();
        await Promise.all(changes);
      },
    };
  };

  /** The same engine, which lists its runs. */
  const listing = (engine: Engine, { runs }: Disk): Engine => ({
    ...engine,
    host: (program) => ({
      ...engine.host(program),
      list: async ({ runId }) =>
        [...runs]
          .filter(([id]) => runId === undefined || id === runId)
          .map(([id, { output }]) => ({ runId: id, state: output === undefined ? 'running' : 'ended', startedAt: new Date(0) })),
      drop: async (id) => void runs.delete(id),
    }),
  });

  const suspendedIn = async (agent: InterlockAgent): Promise<number> => (await agent.listSuspendedRuns()).total;

  it('keeps a suspended run, although an earlier attempt at its segment removes its wait late', async () => {
    const disk = createDisk();
    const scenario = approving();
    const dying = mortalEngine(disk, 2);
    void scenario.agent({ durability: dying }).generate(prompt, { runId: 'run' });
    await dying.died;
    const { engine, changes, act } = lateProcess(disk);
    scenario.agent({ durability: engine });
    await expect.poll(() => changes.length).toBe(1);
    const agent = scenario.agent({ durability: mortalEngine(disk) });
    await expect.poll(() => suspendedIn(agent)).toBe(1);
    await act();
    expect(await suspendedIn(agent)).toBe(1);
  });

  it('does not list or keep a run that has continued, although an earlier attempt adds its wait late', async () => {
    const disk = createDisk();
    const scenario = approving();
    const { engine, changes, act } = lateProcess(disk);
    void scenario.agent({ durability: engine }).generate(prompt, { runId: 'run' });
    await expect.poll(() => changes.length).toBe(1);
    const agent = scenario.agent({ durability: listing(mortalEngine(disk), disk) });
    await expect.poll(() => suspendedIn(agent)).toBe(1);
    for (const { toolCallId } of (await agent.listSuspendedRuns()).runs[0]?.toolCalls ?? [])
      await (await agent.resume('run', { approved: true }, { toolCallId })).getFullOutput();
    await act();
    expect(await agent.listRuns()).toMatchObject([{ runId: 'run', status: 'ended' }]);
    expect(await suspendedIn(agent)).toBe(0);
    expect(await agent.prune({ olderThan: new Date() })).toBe(1);
    expect([disk.runs.size, await disk.board.pinned()]).toEqual([0, []]);
  });
});

describe('the segments of a run', () => {
  it('are published in order, and a suspended run is listed until its approval', async () => {
    const disk = createDisk();
    const scenario = approving();
    const begin = () => scenario.agent({ durability: mortalEngine(disk) });
    const listed = async () => (await begin().listSuspendedRuns()).runs;
    await begin().generate(prompt, { runId: 'run' });
    const [rested] = await listed();
    expect(rested).toMatchObject({
      runId: 'run',
      status: 'suspended',
      toolCalls: [1, 2].map((amount) => ({ toolName: 'charge', args: { amount }, requiresApproval: true })),
    });
    expect(rested?.suspendedAt).toBeInstanceOf(Date);
    expect((await begin().listSuspendedRuns({ threadId: 'another' })).total).toBe(0);
    for (const { toolCallId } of rested?.toolCalls ?? []) {
      const stream = await begin().resume('run', { approved: true }, { toolCallId });
      await stream.getFullOutput();
    }
    expect(await listed()).toEqual([]);
    const last = await chunksOf(await attachIn(disk, scenario));
    const all = await chunksOf(await attachIn(disk, scenario, 0));
    expect(all.filter(({ type }) => type === 'finish')).toHaveLength(3);
    expect(last.filter(({ type }) => type === 'finish')).toHaveLength(1);
    expect(all.slice(-last.length)).toEqual(last);
    expect(screenOf(all)).toMatchObject({
      text: 'I charge. All is paid.',
      results: [{ receipt: 'receipt 1' }, { receipt: 'receipt 2' }],
    });
  });

  it('continuing a recorded run starts no other trace', async () => {
    const disk = createDisk();
    const headers: string[] = [];
    const record: TraceRecorder = ({ runId }) => void headers.push(runId);
    const agentOn = (durability: Engine) => (scenarios['tools'] as () => Scenario)().agent({ durability, record });
    const dying = mortalEngine(disk, 6);
    void agentOn(dying)
      .generate(prompt, { runId: 'run' })
      .catch(() => undefined);
    await dying.died;
    expect((await (await agentOn(mortalEngine(disk)).attach('run')).getFullOutput()).status).toBe('success');
    expect(headers).toEqual(['run']);
  });
});

describe('a resumed client', () => {
  /** Counts the entries read from a board. */
  const counting = (disk: Disk) => {
    const read = { entries: 0 };
    const { board } = disk;
    const counted: Disk = {
      ...disk,
      board: {
        ...board,
        read: async (...args) => {
          const entries = await board.read(...args);
          read.entries += entries.length;
          return entries;
        },
      },
    };
    return { read, counted };
  };

  const speaker = (durability: Engine) => {
    const model = scriptedModel({ steps: () => ({ text: Array.from({ length: 400 }, (_, index) => `${index} `) }) });
    return new InterlockAgent({ id: 'speaker', name: 'Speaker', instructions: 'Speak.', model, durability });
  };

  it('reads only later entries, for a run of any length', async () => {
    const disk = createDisk();
    const own = await chunksOf(await speaker(mortalEngine(disk)).stream(prompt, { runId: 'run' }));
    await expect.poll(() => disk.runs.get('0:run')?.output).toBeDefined(); // so that no other process continues it
    const { read, counted } = counting(disk);
    const rest = await chunksOf(await speaker(mortalEngine(counted)).attach('run', { from: sequencesOf(own).at(-5) }));
    expect(sequencesOf(rest)).toEqual(sequencesOf(own.slice(-5)));
    expect(read.entries).toBe(6); // the entry before shows whether the number belongs to this run
  });

  it('reads seldom while a run is idle, and often while it emits', async () => {
    const disk = createDisk();
    const { promise: goOn, resolve: letGo } = Promise.withResolvers<void>();
    const model = scriptedModel({ steps: [{ toolCalls: [{ name: 'wait', args: {} }] }, { text: 'Done.' }] });
    const wait = createTool({ id: 'wait', description: 'Waits.', inputSchema: z.object({}), execute: async () => goOn });
    const agentOn = (durability: Engine) =>
      new InterlockAgent({ id: 'waiter', name: 'Waiter', instructions: 'Wait.', model, tools: { wait }, durability });
    const whole = agentOn(mortalEngine(disk)).generate(prompt, { runId: 'run' });
    const reads: number[] = [];
    const follower = mortalEngine({
      ...disk,
      runs: new Map(), // it executes nothing
      board: { ...disk.board, read: async (...args) => (reads.push(performance.now()), disk.board.read(...args)) },
    });
    const find: ProgramRuns['find'] = async (id) => {
      if (id !== '0:run') return { kind: 'absent' };
      const output = disk.runs.get('0:run')?.output;
      return output === undefined ? { kind: 'running' } : { kind: 'ended', output };
    };
    const following: Engine = { ...follower, host: (program) => ({ ...follower.host(program), find }) };
    const stream = await agentOn(following).attach('run');
    await setTimeout(4_000);
    const idle = reads.length;
    expect(idle).toBeGreaterThan(5);
    expect(idle).toBeLessThan(20); // 80 at an interval of 50 ms
    letGo();
    expect((await stream.getFullOutput()).text).toBe('Done.');
    await whole;
  });

  it('follows the last segment of a run without the earlier ones', async () => {
    const disk = createDisk();
    const scenario = approving();
    const agent = scenario.agent({ durability: mortalEngine(disk) });
    await agent.generate(prompt, { runId: 'run' });
    const [rested] = (await agent.listSuspendedRuns()).runs;
    const { toolCallId } = rested?.toolCalls[0] ?? {};
    await (await agent.resume('run', { approved: true }, { toolCallId })).getFullOutput();
    await expect.poll(() => disk.runs.get('1:run')?.output).toBeDefined();
    const [, second] = await disk.board.marked('run', 'life');
    const { read, counted } = counting(disk);
    await chunksOf(await scenario.agent({ durability: mortalEngine(counted) }).attach('run'));
    expect(read.entries).toBe((await disk.board.read('run', 0)).length - (second?.place ?? 0));
  });

  it('gets the entries from each position, and for a future position the next entries', async () => {
    const disk = createDisk();
    const own = await chunksOf(await speaker(mortalEngine(disk)).stream(prompt, { runId: 'run' }));
    for (const from of [undefined, 0, 1, 7, sequencesOf(own).at(-2)]) {
      const sequences = sequencesOf(await chunksOf(await speaker(mortalEngine(disk)).attach('run', { from })));
      expect(sequences, String(from)).toEqual(sequencesOf(own).filter((sequence) => sequence >= (from ?? 0)));
    }
    expect(await chunksOf(await speaker(mortalEngine(disk)).attach('run', { from: 10_000 }))).toEqual([]);
  });
});
