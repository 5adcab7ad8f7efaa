import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Mastra } from '@mastra/core/mastra';
import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import type { RunPage } from '../protocol/runs.js';
import type { StudioEntry } from '../protocol/trace-entry.js';
import { openMemoryStore } from './store/memory-store.js';
import type { RunStore } from './store/run-store.js';
import { createStudio } from './studio.js';
import { folder, live, makeAgent, openStudio } from './test-setup.js';

const bytesIn = (path: string): string =>
  readdirSync(path)
    .map((name) => readFileSync(join(path, name)).toString('latin1'))
    .join('');

describe('a file of runs', () => {
  it('is there after a restart: runs, their lines, their conversation', async () => {
    const file = join(folder(), 'deep', 'runs.db');
    const first = await openStudio(makeAgent([{ text: 'First answer.' }]).agent, { file });
    const before = await first.run('One');
    await first.close();
    const { agent, model } = makeAgent([{ text: 'Second answer.' }]);
    const second = await openStudio(agent, { file });
    expect(await second.summary(before.runId)).toEqual(before.summary);
    expect(await second.json(`runs/${before.runId}/entries`)).toEqual(before.entries);
    expect(await live(`${second.base}/api/runs/${before.runId}/live`)).toEqual(before.events);
    expect((await second.get(`runs/${before.runId}/trace`)).status).toBe(200);
    await second.run('Two', before.threadId);
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('First answer.');
  });

  it('holds no word that nobody has seen where only released ones are kept', async () => {
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

  it('holds so many runs', async () => {
    const studio = await openStudio(makeAgent(['1', '2', '3'].map((text) => ({ text }))).agent, {
      maxRuns: 2,
      file: join(folder(), 'runs.db'),
    });
    for (const text of ['One', 'Two', 'Three']) await studio.run(text);
    const { runs } = await studio.json<RunPage>('runs');
    expect(runs.map(({ said }) => said)).toEqual(['Three', 'Two']);
  });
});

it('lets a run be answered that an engine keeps, after a restart', async () => {
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
    vi.waitFor(async () => expect(await studio.summary(runId)).toMatchObject({ status }), { timeout: 20_000 });
  await waits(monday, 'suspended');
  const before = await monday.json<StudioEntry[]>(`runs/${runId}/entries`);
  await monday.end();

  const tuesday = await begin();
  expect((await tuesday.summary(runId)).error).toBeUndefined();
  const call = before.flatMap((entry) => (entry.kind === 'tool' ? [entry.toolCallId] : []))[0];
  const answered = await tuesday.post(`runs/${runId}/answer`, { toolCallId: call, approved: true });
  expect([answered.status, await answered.json()]).toMatchObject([200, { runId }]);
  await waits(tuesday, 'success');
  expect((await tuesday.post(`runs/${runId}/answer`, { toolCallId: call, approved: true })).status).toBe(409);
  const entries = await tuesday.json<StudioEntry[]>(`runs/${runId}/entries`);
  expect(entries.slice(0, before.length)).toEqual(before);
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index));
  expect(await tuesday.summary(runId)).toMatchObject({ answered: 'Done.', said: 'Charge me', entries: entries.length });
  await tuesday.end();
});

it('is no file where it is called memory', async () => {
  const studio = await openStudio(makeAgent([{ text: 'Hello.' }]).agent, { file: 'memory' });
  await studio.run('Hi');
  await studio.close();
  expect(existsSync('memory')).toBe(false);
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
    for (let changed = log?.changed(); log?.summary.status === 'running'; changed = log.changed()) await changed;
    return log?.summary;
  };

  it('that never answers slows no run', async () => {
    const store: RunStore = { ...openMemoryStore(), save: () => new Promise(() => undefined) };
    expect(await runIn(over(store))).toMatchObject({ status: 'success', answered: 'Hello.' });
  });

  it('is given the runs that an application starts itself, from their first line to their last', async () => {
    const store = openMemoryStore();
    const { agent } = makeAgent([{ toolCalls: [{ name: 'charge', args: { amount: 5 } }] }, { text: 'Done.' }], {
      record: (header) => studio.desk.record(header),
    });
    const studio = createStudio({ mastra: new Mastra({ agents: { helper: agent }, logger: false }), store });
    const { runId } = await agent.generate('Charge me');
    expect(await studio.archive.find(runId)).toMatchObject({ agentId: 'helper', said: 'Charge me', status: 'suspended' });
    await agent.approveToolCallGenerate({ runId });
    await studio.archive.flush();
    expect(await store.find(runId)).toMatchObject({ status: 'success', answered: 'Done.', steps: 2 });
    const trace = await store.lines({ runId, kind: 'trace', from: 0, limit: 1_000 });
    expect(trace.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual(
      expect.arrayContaining(['header', 'input', 'resume', 'result']),
    );
    expect(studio.desk.find(runId)).toBeUndefined();
  });

  it('that fails is told of, and fails no run', async () => {
    const failures: unknown[] = [];
    const store: RunStore = { ...openMemoryStore(), save: () => Promise.reject(new Error('The disk is full.')) };
    const studio = over(store, (error) => failures.push(error));
    expect(await runIn(studio)).toMatchObject({ status: 'success' });
    await studio.close();
    expect(failures[0]).toMatchObject({ message: 'The disk is full.' });
  });
});
