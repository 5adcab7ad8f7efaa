import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Mastra } from '@mastra/core/mastra';
import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { memoryEngine } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import type { RunPage, RunSummary } from '../protocol/runs.js';
import type { StudioEntry } from '../protocol/trace-entry.js';
import { openLibsqlStore } from './store/libsql-store.js';
import { openMemoryStore } from './store/open-store.js';
import type { RunStore } from './store/run-store.js';
import { createStudio } from './studio.js';
import { folder, makeAgent, openStudio } from './test-setup.js';

const bytesIn = (path: string): string =>
  readdirSync(path)
    .map((name) => readFileSync(join(path, name)).toString('latin1'))
    .join('');

const waitingCallIn = (entries: readonly StudioEntry[]): string | undefined =>
  entries.flatMap((entry) => (entry.kind === 'left' && entry.part.type === 'tool-call-approval' ? [entry.part.partId] : []))[0];

describe('a file of runs', () => {
  it('restores runs, entries and conversations after a restart', async () => {
    const file = join(folder(), 'deep', 'runs.db');
    const first = await openStudio(makeAgent([{ text: 'First answer.' }]).agent, { file });
    const before = await first.run('One');
    await first.close();
    const { agent, model } = makeAgent([{ text: 'Second answer.' }]);
    const second = await openStudio(agent, { file });
    expect(await second.summary(before.runId)).toEqual(before.summary);
    expect(await second.json(`runs/${before.runId}/entries`)).toEqual(before.entries);
    expect((await second.get(`runs/${before.runId}/trace`)).status).toBe(200);
    await second.run('Two', before.threadId);
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('First answer.');
  });

  it('contains only released text with content: released', async () => {
    const [kept, released] = [folder(), folder()];
    for (const [path, content] of [
      [kept, 'all'],
      [released, 'released'],
    ] as const) {
      const { agent } = makeAgent([{ text: 'Hidden SECRET words' }], { hold: 'step' });
      const studio = await openStudio(agent, { file: join(path, 'runs.db'), content });
      await studio.run('Hello');
      await studio.close();
    }
    expect(bytesIn(kept)).toContain('SECRET');
    expect(bytesIn(released)).toContain('Hello');
    expect(bytesIn(released)).not.toMatch(/SECRET|Hidden/);
  });

  it('keeps at most maxRuns runs', async () => {
    const studio = await openStudio(makeAgent(['1', '2', '3'].map((text) => ({ text }))).agent, {
      maxRuns: 2,
      file: join(folder(), 'runs.db'),
    });
    for (const text of ['One', 'Two', 'Three']) await studio.run(text);
    const { runs } = await studio.json<RunPage>('runs');
    expect(runs.map(({ userText }) => userText)).toEqual(['Three', 'Two']);
  });
});

it.each(['after a restart', 'in the process that started it'])('resumes a durable run with a response %s', async (when) => {
  const path = folder();
  const file = join(path, 'runs.db');
  const begin = async () => {
    const durability = openWorkflow({ path: join(path, 'kept.db') });
    const model = scriptedModel({
      steps: ({ prompt }) =>
        prompt.at(-1)?.role === 'tool' ? { text: 'Done.' } : { toolCalls: [{ name: 'charge', args: { amount: 5 } }] },
    });
    const { agent } = makeAgent([], { durability, model });
    const studio = await openStudio(agent, { file });
    return { ...studio, end: () => studio.close().then(() => durability.close()) };
  };
  const monday = await begin();
  const { runId } = await monday.start('Charge me');
  const waits = async (studio: typeof monday, status: string) =>
    await expect.poll(() => studio.summary(runId)).toMatchObject({ status });
  await waits(monday, 'suspended');
  const before = await monday.json<StudioEntry[]>(`runs/${runId}/entries`);
  const restarted = async () => {
    await monday.end();
    return begin();
  };
  const tuesday = when === 'after a restart' ? await restarted() : monday;
  expect((await tuesday.summary(runId)).error).toBeUndefined();
  const call = waitingCallIn(before);
  const answered = await tuesday.post(`runs/${runId}/answer`, { toolCallId: call, approved: true });
  expect([answered.status, await answered.json()]).toMatchObject([200, { runId }]);
  await waits(tuesday, 'success');
  expect((await tuesday.post(`runs/${runId}/answer`, { toolCallId: call, approved: true })).status).toBe(409);
  const entries = await tuesday.json<StudioEntry[]>(`runs/${runId}/entries`);
  expect(entries.slice(0, before.length)).toEqual(before);
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index));
  expect(await tuesday.summary(runId)).toMatchObject({ answered: 'Done.', userText: 'Charge me', entries: entries.length });
  await tuesday.end();
});

describe('runs of a process that ended', () => {
  /** A file as such a process leaves it. */
  const leave = async (...runs: readonly Pick<RunSummary, 'runId' | 'agentId' | 'status'>[]): Promise<string> => {
    const file = join(folder(), 'runs.db');
    const store = await openLibsqlStore({ url: `file:${file}` });
    const trace = {
      threadId: 't',
      startedAt: 1,
      durationMs: undefined,
      userText: 'Hi',
      answered: '',
      steps: 0,
      retries: 0,
      guards: [],
    };
    const inputEntry: StudioEntry = { seq: 0, at: 5, kind: 'input', messages: [{ id: 'm', role: 'user', text: 'Hi' }] };
    const records = runs.map((run) => {
      const statusEntry: StudioEntry = { seq: 1, at: 5, kind: 'status', status: run.status };
      const lines = [inputEntry, statusEntry].map((entry) => JSON.stringify(entry));
      const news = { entry: { from: 0, lines }, trace: { from: 0, lines: [] } };
      return { summary: { ...trace, ...run, entries: lines.length }, words: 'hi', news };
    });
    await store.save(records);
    await store.close();
    return file;
  };

  it('are marked as interrupted once when no process continues them', async () => {
    const agentId = 'helper';
    const file = await leave(
      { runId: 'going', agentId, status: 'running' },
      { runId: 'unknown', agentId: 'gone', status: 'running' },
      { runId: 'resting', agentId, status: 'suspended' },
    );
    const error = { code: 'studio/interrupted' };
    for (let restart = 0; restart < 2; restart += 1) {
      const studio = await openStudio(makeAgent([]).agent, { file });
      for (const runId of ['going', 'unknown'])
        expect(await studio.summary(runId)).toMatchObject({ status: 'interrupted', error, entries: 3, durationMs: 4 });
      expect(await studio.summary('resting')).toMatchObject({ status: 'interrupted', error, entries: 3 });
      expect((await studio.json<StudioEntry[]>('runs/going/entries'))[2]).toMatchObject({ kind: 'status', seq: 2, at: 5, error });
      await studio.close();
    }
  });

  it('are marked as interrupted if their engine does not know them', async () => {
    const file = await leave({ runId: 'lost', agentId: 'helper', status: 'running' });
    const studio = await openStudio(makeAgent([], { durability: memoryEngine() }).agent, { file });
    await expect.poll(() => studio.summary('lost')).toMatchObject({ error: { code: 'studio/interrupted' } });
  });

  it('are followed to an approval and to their end if their engine continues them', async () => {
    const steps = [{ text: ['I ', 'will. '], toolCalls: [{ name: 'charge', args: { amount: 5 } }] }, { text: 'Done.' }];
    const { agent } = makeAgent(steps, { durability: memoryEngine() });
    await agent.generate('Hi', { runId: 'kept' });
    const file = await leave({ runId: 'kept', agentId: 'helper', status: 'running' });
    const studio = await openStudio(agent, { file });
    const waits = async (status: string) => await expect.poll(() => studio.summary('kept')).toMatchObject({ status });
    await waits('suspended');
    const call = waitingCallIn(await studio.json<StudioEntry[]>('runs/kept/entries'));
    await studio.post('runs/kept/answer', { toolCallId: call, approved: true });
    await waits('success');
    expect(await studio.summary('kept')).toMatchObject({ answered: 'I will. Done.', steps: 2, userText: 'Hi' });
    const entries = await studio.json<StudioEntry[]>('runs/kept/entries');
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index));
    const emitted = entries.filter((entry) => entry.kind === 'left' && entry.part.type === 'text-delta');
    expect(emitted.map((entry) => 'text' in entry && entry.text).join('')).toBe('I will. Done.');
    expect(entries[2]).toMatchObject({ kind: 'status', status: 'running' });
    expect(entries.map((entry) => entry.kind === 'event' && entry.event.type)).toContain('guard');
  });

  it('are canceled in their engine', async () => {
    const { agent } = makeAgent([{ hang: true }], { durability: memoryEngine() });
    void agent.generate('Hi', { runId: 'kept' });
    const studio = await openStudio(agent, { file: await leave({ runId: 'kept', agentId: 'helper', status: 'running' }) });
    await expect.poll(async () => (await studio.summary('kept')).entries).toBeGreaterThan(2); // until the run is followed
    await studio.post('runs/kept/cancel');
    await expect.poll(() => studio.summary('kept')).toMatchObject({ status: 'canceled' });
  });
});

it.each(['memory', ':memory:'])('creates no file with the name %s', async (file) => {
  const studio = await openStudio(makeAgent([{ text: 'Hello.' }]).agent, { file });
  await studio.run('Hi');
  await studio.close();
  expect(existsSync(file)).toBe(false);
});

describe('a store', () => {
  const over = (store: RunStore, onStoreFailure?: (error: unknown) => void) => {
    const { agent } = makeAgent([{ text: 'Hello.' }]);
    return createStudio({ mastra: new Mastra({ agents: { helper: agent }, logger: false }), store, onStoreFailure });
  };
  const runIn = async (studio: ReturnType<typeof over>) => {
    const [agent] = (await studio.known()).agents;
    if (!agent) throw new Error('There is an agent.');
    const { runId } = await studio.desk.start(agent, { text: 'Hi' });
    const log = studio.desk.find(runId);
    await expect.poll(() => log?.summary.status).not.toBe('running');
    return log?.summary;
  };

  it('does not delay a run if it never responds', async () => {
    const store: RunStore = { ...openMemoryStore(), save: () => new Promise(() => undefined) };
    expect(await runIn(over(store))).toMatchObject({ status: 'success', answered: 'Hello.' });
  });

  it('receives all entries of runs of the application', async () => {
    const store = openMemoryStore();
    const { agent } = makeAgent([{ toolCalls: [{ name: 'charge', args: { amount: 5 } }] }, { text: 'Done.' }], {
      record: (header) => studio.desk.record(header),
    });
    const studio = createStudio({ mastra: new Mastra({ agents: { helper: agent }, logger: false }), store });
    const { runId } = await agent.generate('Charge me');
    expect(await studio.archive.find(runId)).toMatchObject({ agentId: 'helper', userText: 'Charge me', status: 'suspended' });
    await agent.approveToolCallGenerate({ runId });
    await studio.archive.flush();
    expect(await store.find(runId)).toMatchObject({ status: 'success', answered: 'Done.', steps: 2 });
    const trace = await store.lines({ runId, kind: 'trace', from: 0, limit: 1_000 });
    expect(trace.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual(
      expect.arrayContaining(['header', 'input', 'resume', 'result']),
    );
    expect(studio.desk.find(runId)).toBeUndefined();
  });

  it('reports its failure and does not fail the run', async () => {
    const failures: unknown[] = [];
    const store: RunStore = { ...openMemoryStore(), save: () => Promise.reject(new Error('The disk is full.')) };
    const studio = over(store, (error) => failures.push(error));
    expect(await runIn(studio)).toMatchObject({ status: 'success' });
    await studio.close();
    expect(failures[0]).toMatchObject({ message: 'The disk is full.' });
  });
});
