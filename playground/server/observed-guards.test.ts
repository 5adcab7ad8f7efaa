import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { generateText } from 'ai';
import { describe, expect, it } from 'vitest';
import { withGuards } from '../../src/ai-sdk/index.js';
import { guardsFor, pipeline } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import type { Catalog } from '../protocol/catalog.js';
import { guardsIn } from '../protocol/shapes.js';
import type { RunComparison, RunPage, RunSummary } from '../protocol/runs.js';
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

describe('a Mastra agent with guardsFor', () => {
  it('lists its guards separately in the catalog', async () => {
    const studio = await openStudio([makeAgent([]).agent, stockAgent()]);
    const { pipelines } = await studio.json<Catalog>('catalog');
    const own = pipelines.filter(({ usedBy }) => usedBy.includes('stock'));
    expect(own.map(({ id, graph }) => [id, guardsIn(graph).map((guard) => guard.id)])).toEqual([
      ['stock-guards', ['redactor', 'blocks']],
    ]);
  });

  it.each([
    ['buffers text and releases it', 'All other messages get this response.', undefined, 'pass'],
    ['replaces text', 'Write to ada@example.com.', undefined, 'edit'],
    ['removes text', 'The code is swordfish.', removing, 'edit'],
    ['removes the end of the text', 'It ends with swordfish', removing, 'edit'],
  ])('reports the verdict of a stream guard that %s', async (_, text, guard, verdict) => {
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

  it('can be compared with a run of an InterlockAgent by text and verdicts', async () => {
    const studio = await openStudio([makeAgent([{ text: 'It is on its way.' }]).agent, stockAgent()]);
    const other = await studio.run('Where is it?');
    const stock = await studio.run('My mail is ada@example.com.', undefined, 'stock');
    const comparison = await studio.json<RunComparison>(`runs/${other.runId}/compare/${stock.runId}`);
    expect(comparison).toMatchObject({
      before: { agentId: 'helper', status: 'success' },
      after: { agentId: 'stock', status: 'success' },
      answers: { before: 'It is on its way.', after: 'Write to [EMAIL].' },
    });
    expect(comparison.rows).toContainEqual(
      expect.objectContaining({ processorId: 'redactor', phase: 'input', after: { verdict: 'edit' } }),
    );
    expect(comparison.rows).toContainEqual(expect.objectContaining({ processorId: 'no-secrets', before: { verdict: 'pass' } }));
  });

  it('shows the verdicts of its guards in a run of the application', async () => {
    const studio = await openStudio(makeAgent([]).agent);
    await stockAgent().generate('My mail is ada@example.com.');
    const { summary, entries } = await firstRun(studio);
    expect(summary).toMatchObject({
      agentId: 'stock',
      status: 'observed',
      userText: 'My mail is ada@example.com.',
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

  it('shows the tripwire of a guard', async () => {
    const studio = await openStudio(makeAgent([]).agent);
    await stockAgent().generate('An attack!');
    const { summary } = await firstRun(studio);
    expect(summary).toMatchObject({
      status: 'tripwire',
      tripwire: { processorId: 'blocks', phase: 'input', reason: 'It is an attack.' },
    });
  });

  it('shows the verdicts in the same run for a run started from a page', async () => {
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

it('shows the verdicts of workflow guards in the engine of Mastra', async () => {
  const studio = await openStudio(makeAgent([]).agent);
  const run = await guards().createRun();
  const messages = [
    { id: 'm1', role: 'user', createdAt: new Date(), content: { format: 2, parts: [{ type: 'text', text: 'An attack!' }] } },
  ];
  await run.start({ inputData: { phase: 'input', messages, systemMessages: [], retryCount: 0 } });
  const { summary, entries } = await firstRun(studio);
  expect(verdictsIn(entries)).toContainEqual(['blocks', 'trip']);
  expect(summary).toMatchObject({ status: 'tripwire', userText: 'An attack!' });
});

it('shows the verdicts of guards around a model of the AI SDK', async () => {
  const studio = await openStudio(makeAgent([]).agent);
  const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
  await generateText({ model: withGuards(model, guards()), prompt: 'My mail is ada@example.com.' });
  const { summary, entries } = await firstRun(studio);
  expect(summary).toMatchObject({ agentId: 'ai-sdk', status: 'success', userText: 'My mail is ada@example.com.' });
  expect(verdictsIn(entries)).toEqual(
    expect.arrayContaining([
      ['redactor', 'edit'],
      ['blocks', 'pass'],
    ]),
  );
});
