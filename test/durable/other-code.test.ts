import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import type { Engine } from '../../src/durable/journal.js';
import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { encrypted, guard, type InterlockAgent } from '../../src/index.js';
import type { CodeChange } from '../../src/mastra/options/own-options.js';
import { decode, encode } from '../../src/loop/state/encode.js';
import { scriptedModel } from '../../src/testing/index.js';
import { createDisk, mortalEngine, type Disk } from './mortal-engine.js';
import { approving, scenarios, type Scenario } from './scenarios.js';

const prompt = 'Please charge me.';
const tools = () => (scenarios['tools'] as () => Scenario)();
const guardNamed = (id: string) => ({ id, processInput: ({ messages }: { messages: never[] }) => messages }) as never;

/** An array with a guard whose author declares its version. */
const inVersion = (version: string | undefined) => ({ inputProcessors: [guard(guardNamed('judge'), { version })] });

/** Like an engine that retries a run later: here never. */
const waiting = (engine: Engine): Engine => ({
  ...engine,
  host: (program) =>
    engine.host({ ...program, run: (...args) => program.run(...args).catch(() => new Promise<never>(() => undefined)) }),
});

/** The chunk for a follower of a run that waits for its code. */
const decisionOf = async (agent: InterlockAgent, runId: string): Promise<unknown> => {
  const { fullStream } = await agent.attach(runId, { from: 0 });
  for await (const chunk of fullStream as AsyncIterable<{ type: string; data?: unknown }>)
    if (chunk.type === 'data-interlock-needs-decision') return chunk.data;
  throw new Error('The run has ended.');
};

describe('a suspended run resumed by changed code', () => {
  const fileOf = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'interlock-code-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return join(folder, 'runs.db');
  };
  const deploy = (path: string, options: object) => {
    const durability = openWorkflow({ path, leaseMs: 1_000 });
    onTestFinished(() => durability.close());
    const { agent, effects } = approving();
    return { agent: agent({ durability, ...options }), effects, close: () => durability.close() };
  };
  const suspended = async (options: object) => {
    const path = fileOf();
    const old = deploy(path, options);
    expect((await old.agent.generate(prompt, { runId: 'one' })).status).toBe('suspended');
    await old.close();
    return path;
  };
  const answer = async (agent: InterlockAgent) => {
    const call = (await agent.listSuspendedRuns()).runs[0]?.toolCalls[0];
    return agent.resume('one', { approved: true }, call && { toolCallId: call.toolCallId });
  };

  it('waits with its original guards until the change is accepted or reverted', async () => {
    const path = await suspended({ inputProcessors: [guardNamed('old'), guardNamed('kept')] });
    const other = deploy(path, { inputProcessors: [guardNamed('kept'), guardNamed('new')] });
    await answer(other.agent);
    const changes = ['input guards removed: old', 'input guards added: new'];
    expect(await decisionOf(other.agent, 'one')).toMatchObject({ changes });
    expect(await other.agent.listRuns({ status: 'needs-decision' })).toMatchObject([{ runId: 'one', changes }]);
    expect(other.effects).toEqual([]);
    await other.close();
    const again = deploy(path, { inputProcessors: [guardNamed('old'), guardNamed('kept')] });
    expect((await (await again.agent.attach('one')).getFullOutput()).status).toBe('suspended'); // it requests the second call
    expect(await again.agent.listRuns()).toMatchObject([{ runId: 'one', status: 'suspended' }]);
    await again.close();
    const seen: CodeChange[] = [];
    const accepting = deploy(path, { acceptChangedCode: (change: CodeChange) => seen.push(change) > 0 });
    expect((await (await answer(accepting.agent)).getFullOutput()).status).toBe('success');
    expect(seen[0]).toMatchObject({ runId: 'one', changes: ['input guards removed: old, kept'] });
    expect(accepting.effects).toHaveLength(2);
  });

  it('keeps its original limits', async () => {
    const other = deploy(await suspended({}), { defaultOptions: { maxSteps: 1 } });
    await (await answer(other.agent)).getFullOutput();
    const { status, finishReason, text } = await (await answer(other.agent)).getFullOutput();
    expect([status, finishReason, text]).toEqual(['success', 'stop', 'I charge. All is paid.']);
  });
});

it('P11: a process with other code adds nothing for followers after the last chunk of a run that was killed later', async () => {
  const types: string[][] = [];
  for (let dieAt = 5; ; dieAt += 1) {
    const disk = createDisk();
    const dying = mortalEngine(disk, dieAt);
    const started = tools().agent({ durability: dying }).generate(prompt, { runId: 'one' });
    if (await Promise.race([dying.died.then(() => false), started.then(() => true)])) break;
    const other = tools().agent({ durability: waiting(mortalEngine(disk)), inputProcessors: [guardNamed('new')] });
    await expect.poll(() => other.listRuns({ status: 'needs-decision' })).toHaveLength(1);
    const again = tools().agent({ durability: mortalEngine(disk) });
    const { fullStream } = await again.attach('one', { from: 0 });
    const seen: string[] = [];
    for await (const { type } of fullStream as AsyncIterable<{ type: string }>) seen.push(type);
    expect([seen.at(-1), seen.filter((type) => type === 'finish').length]).toEqual(['finish', 1]);
    expect(await again.listRuns()).toEqual([]);
    types.push(seen);
  }
  expect(types.length).toBeGreaterThan(10);
  expect(types.some((seen) => seen.includes('data-interlock-needs-decision'))).toBe(true);
});

describe('changed code', () => {
  const changesFor = async (before: object, after: object): Promise<readonly string[]> => {
    const disk = createDisk();
    const dying = mortalEngine(disk, 5);
    void tools()
      .agent({ durability: dying, ...before })
      .generate(prompt, { runId: 'one' })
      .catch(() => undefined);
    await dying.died;
    const agent = tools().agent({ durability: waiting(mortalEngine(disk)), ...after });
    return ((await decisionOf(agent, 'one')) as CodeChange).changes;
  };

  it.each([
    [
      'a lane',
      { outputProcessors: [{ id: 'a', processOutputResult: ({ messages }: { messages: never[] }) => messages }] },
      {},
      ['output guards removed: a'],
    ],
    [
      'an order',
      { inputProcessors: ['a', 'b'].map(guardNamed) },
      { inputProcessors: ['b', 'a'].map(guardNamed) },
      ['input guards arranged differently'],
    ],
    ['the version of a guard', inVersion('1'), inVersion('2'), ['input guards of another version: judge (1 to 2)']],
    ['a first version', {}, inVersion('1'), ['input guards added: judge']],
    ['a guard without its version', inVersion('1'), inVersion(undefined), ['input guards of another version: judge (1 to none)']],
    [
      'a version and an id',
      { inputProcessors: [...inVersion('1').inputProcessors, guardNamed('a')] },
      { inputProcessors: [guardNamed('b'), ...inVersion('2').inputProcessors] },
      ['input guards removed: a', 'input guards added: b', 'input guards of another version: judge (1 to 2)'],
    ],
  ])('is described: %s', async (_what, before, after, changes) => {
    expect(await changesFor(before, after)).toEqual(changes);
  });

  it.each([
    ['other options of its policy', { deadlineMs: 1_000, version: '1' }, { deadlineMs: 2_000, version: '1' }],
    ['other code, without a version', {}, {}],
  ])('does not stop a run: a guard with %s', async (_what, before, after) => {
    const disk = createDisk();
    const dying = mortalEngine(disk, 5);
    const judge = (policy: { deadlineMs?: number; version?: string }) => ({
      inputProcessors: [guard(guardNamed('judge'), policy)],
    });
    void tools()
      .agent({ durability: dying, ...judge(before) })
      .generate(prompt, { runId: 'one' })
      .catch(() => undefined);
    await dying.died;
    const agent = tools().agent({ durability: mortalEngine(disk), ...judge(after) });
    expect((await (await agent.attach('one')).getFullOutput()).status).toBe('success');
  });

  it('is described: models that are missing', async () => {
    const model = () => ({ model: scriptedModel({ steps: [{ text: 'Hi.' }] }), maxRetries: 0 });
    const many = { model: [model(), model()] };
    expect(await changesFor(many, {})).toEqual(['it began with 2 models, and the agent now has 1']);
  });
});

const run = ({ runs }: Disk) => runs.get('0:one') as NonNullable<ReturnType<Disk['runs']['get']>>;

/** A run that a process has left. */
const abandonedOn = async (disk: Disk, wrap = (engine: Engine) => engine): Promise<void> => {
  const dying = mortalEngine(disk, 6);
  void tools()
    .agent({ durability: wrap(dying) })
    .generate(prompt, { runId: 'one' })
    .catch(() => undefined);
  await dying.died;
};

describe('a journal that a process cannot read', () => {
  const change = { from: 'unreadable', to: 'format 1' };

  it.each([
    ['the result of a step', 'one begin'],
    ['its input', '0:one input'],
  ])('is damaged: %s. The run waits, attach and the list report it, and a mended journal continues', async (_what, path) => {
    const disk = createDisk();
    await abandonedOn(disk);
    const whole = run(disk);
    const damaged = path.endsWith('input')
      ? { call: { ...whole.call, input: 'garbage' } }
      : { kept: new Map([['begin', '{"not": ours']]) };
    disk.runs.set('0:one', { ...whole, ...damaged });
    const agent = tools().agent({ durability: waiting(mortalEngine(disk)) });
    const changes = [expect.stringContaining(`[durable/damaged] at ${path}`)];
    expect(await decisionOf(agent, 'one')).toEqual({ ...change, changes });
    expect(await agent.listRuns()).toEqual([{ ...change, changes, runId: 'one', status: 'needs-decision' }]);
    disk.runs.set('0:one', whole);
    const other = tools().agent({ durability: mortalEngine(disk) });
    expect((await (await other.attach('one')).getFullOutput()).status).toBe('success');
    expect(await other.listRuns()).toEqual([]);
  });

  it('is encrypted: a process without the key lets the run wait, and writes nothing to its stream', async () => {
    const disk = createDisk();
    const withKey = (engine: Engine) => encrypted(engine, { key: Buffer.alloc(32, 1) });
    await abandonedOn(disk, withKey);
    const agent = tools().agent({ durability: waiting(mortalEngine(disk)) });
    const entries = await disk.board.read('one', 0);
    await expect.poll(() => agent.listRuns()).toMatchObject([{ ...change, runId: 'one', status: 'needs-decision' }]);
    expect((await agent.listRuns())[0]).toMatchObject({ changes: [expect.stringContaining('this process has no key')] });
    expect(await disk.board.read('one', 0)).toEqual(entries);
    const other = tools().agent({ durability: withKey(mortalEngine(disk)) });
    const result = await (await other.attach('one', { from: 0 })).getFullOutput();
    expect([result.status, result.text]).toEqual(['success', 'I charge. All is paid.']);
    await expect(agent.attach('one')).rejects.toMatchObject({ code: 'durable/unreadable' });
    expect(await agent.listRuns()).toEqual([]);
  });
});

describe('another version of the library', () => {
  /** A run that a process has left, with a part of it in another format. */
  const abandoned = async (spoil: (disk: Disk) => unknown) => {
    const disk = createDisk();
    await abandonedOn(disk);
    spoil(disk);
    return tools().agent({ durability: waiting(mortalEngine(disk)) });
  };
  const persistedAs = (format: number | undefined) => (disk: Disk) => {
    const { kept } = run(disk);
    kept.set('begin', encode({ ...(decode(kept.get('begin') ?? '') as object), format }));
  };

  it.each([
    ['a newer journal', persistedAs(2), 2],
    ['a journal of before the first format', persistedAs(undefined), 0],
    ['a step of a newer format', (disk: Disk) => run(disk).kept.set('begin', `2\n${run(disk).kept.get('begin')}`), 2],
    [
      'a call of a newer format',
      (disk: Disk) => disk.runs.set('0:one', { ...run(disk), call: { ...run(disk).call, input: '12\nother' } }),
      12,
    ],
  ])('has persisted %s: the run waits, and attach and the list report it', async (_what, spoil, format) => {
    const agent = await abandoned(spoil);
    const change = {
      from: `format ${format}`,
      to: 'format 1',
      changes: [`the journal has format ${format}, and this version reads format 1`],
    };
    expect(await decisionOf(agent, 'one')).toEqual(change);
    expect(await agent.listRuns({ status: 'needs-decision' })).toEqual([{ ...change, runId: 'one', status: 'needs-decision' }]);
  });

  it('has written the stream or its end: attach rejects with the code', async () => {
    const unknown = { code: 'durable/unknown-format' };
    const disk = createDisk();
    const agent = tools().agent({ durability: mortalEngine(disk) });
    await agent.generate(prompt, { runId: 'one' });
    disk.board.append({ runId: 'one', entries: [{ text: '{"kind":"life","sitting":1}\n2\nother', mark: 'life' }] });
    await expect(agent.attach('one')).rejects.toMatchObject({
      ...unknown,
      path: `one entry ${(await disk.board.read('one', 0)).length - 1}`,
    });
    disk.runs.set('0:one', { ...run(disk), output: '2\nother' });
    for (const act of [() => agent.attach('one'), () => agent.resume('one', {}), () => agent.cancel('one')])
      await expect(act()).rejects.toMatchObject({ ...unknown, path: '0:one output' });
  });
});
