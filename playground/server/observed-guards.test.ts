import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import { guardedToolLoop } from '../../src/ai-sdk/index.js';
import { guardsFor, pipeline } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { redactor } from '../../workflows/index.js';
import type { Catalog } from '../protocol/catalog.js';
import { guardsIn } from '../protocol/shapes.js';
import type { RunPage, RunSummary } from '../protocol/runs.js';
import type { StudioEntry } from '../protocol/trace-entry.js';
import { makeAgent, openStudio } from './test-setup.js';

const blocks: Processor = {
  id: 'blocks',
  processInput: async ({ messages, abort }) =>
    JSON.stringify(messages).includes('attack') ? abort('It is an attack.') : messages,
};

const guards = () =>
  pipeline('shared-guards')
    .parallel([redactor({ strategy: 'replace' }), blocks])
    .commit();

type Studio = Awaited<ReturnType<typeof openStudio>>;

const verdictsIn = (entries: readonly StudioEntry[]) =>
  entries.flatMap((entry) =>
    entry.kind === 'event' && entry.event.type === 'guard' ? [[entry.event.processorId, entry.event.verdict]] : [],
  );

/** Its entries exist before the call has returned. */
const firstRun = async (studio: Studio): Promise<{ summary: RunSummary; entries: StudioEntry[] }> => {
  const [summary] = (await studio.json<RunPage>('runs')).runs;
  if (!summary) throw new Error('No run is there.');
  return { summary, entries: await studio.entriesOf(summary.runId) };
};

/** A guard of an application that drops chunks. */
const removing: Processor = {
  id: 'removing',
  processOutputStream: async ({ part }) => (part.type === 'text-delta' && part.payload.text.includes('swordfish') ? null : part),
};

const stockAgent = (text: string | string[] = 'Write to ada@example.com.', more?: Processor) =>
  new Agent({
    id: 'stock',
    name: 'Stock',
    instructions: 'Help.',
    model: scriptedModel({ steps: () => ({ text }) }),
    ...guardsFor(
      pipeline('stock-guards')
        .then(redactor({ strategy: 'replace' }))
        .then(more ?? blocks)
        .commit(),
    ),
  });

describe('a stock agent with guardsFor', () => {
  it('has its guards among those of the application, each for itself', async () => {
    const studio = await openStudio([makeAgent([]).agent, stockAgent()]);
    const { pipelines } = await studio.json<Catalog>('catalog');
    const own = pipelines.filter(({ usedBy }) => usedBy.includes('stock'));
    expect(own.map(({ id, graph }) => [id, guardsIn(graph).map((guard) => guard.id)])).toEqual([
      ['stock-guards', ['redactor', 'blocks']],
    ]);
  });

  it.each([
    ['keeps words and gives them back', 'All other messages get this response.', undefined, 'pass'],
    ['puts others in their place', 'Write to ada@example.com.', undefined, 'edit'],
    ['removes words', 'The code is swordfish.', removing, 'edit'],
    ['removes the last words', 'It ends with swordfish', removing, 'edit'],
  ])('reports of a guard of the stream that %s', async (_, text, guard, verdict) => {
    const studio = await openStudio(makeAgent([]).agent);
    const stream = await stockAgent(text.match(/\S+\s*/g) ?? [], guard).stream('Hello');
    await stream.consumeStream();
    const { entries } = await firstRun(studio);
    const id = guard?.id ?? 'redactor';
    const verdicts = entries.flatMap((entry) =>
      entry.kind === 'event' && entry.event.type === 'guard' && entry.event.phase === 'outputStream' ? [entry.event] : [],
    );
    const own = verdicts.filter(({ processorId }) => processorId === id);
    expect(own.some((event) => event.verdict === 'edit')).toBe(verdict === 'edit');
    expect(own.reduce((sum, { edits }) => sum + edits, 0) > 0).toBe(verdict === 'edit');
    expect(own.reduce((sum, { calls }) => sum + calls, 0)).toBeGreaterThan(4);
  });

  it('shows what its guards did in a run that the application starts', async () => {
    const studio = await openStudio(makeAgent([]).agent);
    await stockAgent().generate('My mail is ada@example.com.');
    const { summary, entries } = await firstRun(studio);
    expect(summary).toMatchObject({
      agentId: 'stock',
      status: 'observed',
      said: 'My mail is ada@example.com.',
      guards: ['redactor'],
    });
    expect(verdictsIn(entries)).toEqual(
      expect.arrayContaining([
        ['redactor', 'edit'],
        ['blocks', 'pass'],
      ]),
    );
    expect(entries.find(({ kind }) => kind === 'asked')).toMatchObject({
      phase: 'input',
      lane: 'input',
      pipelineId: 'stock-guards',
    });
  });

  it('shows that one of them blocked', async () => {
    const studio = await openStudio(makeAgent([]).agent);
    await stockAgent().generate('An attack!');
    const { summary } = await firstRun(studio);
    expect(summary).toMatchObject({
      status: 'tripwire',
      tripwire: { processorId: 'blocks', phase: 'input', reason: 'It is an attack.' },
    });
  });

  it('shows it in the same run where that is started from a page', async () => {
    const studio = await openStudio(stockAgent());
    const { summary, entries } = await studio.run('My mail is ada@example.com.', undefined, 'stock');
    expect((await studio.json<RunPage>('runs')).runs).toHaveLength(1);
    expect(summary).toMatchObject({ status: 'success', guards: ['redactor'] });
    expect(verdictsIn(entries)).toEqual(
      expect.arrayContaining([
        ['redactor', 'edit'],
        ['blocks', 'pass'],
      ]),
    );
  });
});

it('shows what the guards of a workflow did on the engine of Mastra', async () => {
  const studio = await openStudio(makeAgent([]).agent);
  const run = await guards().createRun();
  const messages = [
    { id: 'm1', role: 'user', createdAt: new Date(), content: { format: 2, parts: [{ type: 'text', text: 'An attack!' }] } },
  ];
  await run.start({ inputData: { phase: 'input', messages, systemMessages: [], retryCount: 0 } });
  const { summary, entries } = await firstRun(studio);
  expect(verdictsIn(entries)).toContainEqual(['blocks', 'trip']);
  expect(summary).toMatchObject({ status: 'tripwire', said: 'An attack!' });
});

it('shows what the guards of a tool loop of the AI SDK did', async () => {
  const studio = await openStudio(makeAgent([]).agent);
  const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
  const agent = guardedToolLoop({ model, guards: guards() });
  await agent.generate({ prompt: 'My mail is ada@example.com.' });
  const { summary, entries } = await firstRun(studio);
  expect(summary).toMatchObject({ agentId: 'ai-sdk', status: 'observed', said: 'My mail is ada@example.com.' });
  expect(verdictsIn(entries)).toEqual(
    expect.arrayContaining([
      ['redactor', 'edit'],
      ['blocks', 'pass'],
    ]),
  );
});
