import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { blockedTermsGuard } from '../../workflows/guards/index.js';
import { toolCallPhase, type Comparison, type GuardTotals, type RunComparison } from '../protocol/runs.js';
import { makeAgent, openStudio } from './test-setup.js';

const body = async <T>(response: Promise<Response>): Promise<T> => (await response).json() as Promise<T>;

const polite: Processor = { id: 'polite', processInput: async ({ messages }) => messages };
const changed = ({ rows }: Pick<Comparison, 'rows'>) =>
  rows
    .filter(({ differs }) => differs)
    .map(({ processorId, before, after }) => [processorId, before?.verdict, after?.verdict] as const);

describe('a guard replayed over a recorded run', () => {
  const open = async () => {
    const { agent } = makeAgent([{ text: 'It costs 5 Euro.' }], {
      inputProcessors: pipeline('comes-in').then(polite).commit(),
      outputProcessors: [],
    });
    const studio = await openStudio(agent);
    const { runId } = await studio.run('What does the blue one cost?');
    const replay = (choice: object) => studio.post(`runs/${runId}/replay`, choice);
    return { studio, runId, replay, replayed: (choice: object) => body<Comparison>(replay(choice)) };
  };

  it('can be a built-in guard with options, added to the other guards', async () => {
    const { replayed } = await open();
    const guard = { kind: 'ready', name: 'blockedTermsGuard', options: { terms: ['blue'] } };
    const comparison = await replayed({ guard });
    expect(changed(comparison)).toEqual([['blocked-terms', undefined, 'trip']]);
    expect(comparison).toMatchObject({ before: { status: 'success' }, after: { status: 'tripwire' } });
    const harmless = await replayed({ guard: { ...guard, options: { terms: ['green'] } } });
    expect(harmless.after.status).toBe('success');
    expect(harmless.rows.filter(({ processorId }) => processorId === 'polite').every(({ differs }) => !differs)).toBe(true);
  });

  it('replaces another guard', async () => {
    const { replayed } = await open();
    const guard = { kind: 'ready', name: 'blockedTermsGuard', options: { terms: ['blue'] } };
    expect(changed(await replayed({ guard, instead: 'polite' }))).toEqual([
      ['polite', 'pass', undefined],
      ['blocked-terms', undefined, 'trip'],
    ]);
  });

  it('can be a guard of the application with its own or another policy', async () => {
    const { replayed } = await open();
    const guard = { kind: 'own', pipelineId: 'comes-in', path: 'comes-in/polite' };
    expect(changed(await replayed({ guard }))).toEqual([]);
    expect(changed(await replayed({ guard: { ...guard, options: { shadow: true } } }))).toEqual([['polite', 'pass', undefined]]);
  });

  it.each(['trip', 'fail'])('keeps the status of a run that ended with %s', async (how) => {
    const { agent } = makeAgent([], {
      model: scriptedModel({
        steps: () => {
          throw new Error('The provider is away.');
        },
      }),
      inputProcessors: pipeline('comes-in')
        .then(blockedTermsGuard({ terms: ['blue'] }))
        .commit(),
    });
    const studio = await openStudio(agent);
    const {
      runId,
      summary: { status },
    } = await studio.run(how === 'trip' ? 'The blue one.' : 'The red one.');
    const guard = { kind: 'own', pipelineId: 'comes-in', path: 'comes-in/blocked-terms' };
    const comparison = await body<Comparison>(studio.post(`runs/${runId}/replay`, { guard }));
    expect([comparison.before.status, comparison.after.status]).toEqual([status, status]);
    expect(status).toBe(how === 'trip' ? 'tripwire' : 'failed');
  });

  it('is rejected for an invalid option or an unknown name', async () => {
    const { replay } = await open();
    const wrong = await replay({ guard: { kind: 'ready', name: 'lengthGuard', options: { longest: 3 } } });
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { code: 'guard/unknown-option' } }]);
    expect((await replay({ guard: { kind: 'ready', name: 'noGuard' } })).status).toBe(404);
    expect((await replay({ guard: { kind: 'own', pipelineId: 'comes-in', path: 'comes-in' } })).status).toBe(404);
  });
});

it('compares two recorded runs by verdicts and text without hidden text', async () => {
  const { agent } = makeAgent([{ text: 'Write to ann@example.com.' }, { text: 'The SECRET is out.' }], { hold: 'step' });
  const studio = await openStudio(agent, { content: 'released' });
  const [one, other] = [await studio.run('Where do I write to?'), await studio.run('What is it?')];
  const comparison = await studio.json<RunComparison>(`runs/${one.runId}/compare/${other.runId}`);
  expect(comparison).toMatchObject({
    before: { runId: one.runId, status: 'success', userText: 'Where do I write to?' },
    after: { runId: other.runId, status: 'tripwire' },
    answers: { before: 'Write to [EMAIL].', after: '' },
  });
  expect(changed(comparison)).toEqual([
    ['redactor', 'edit', 'pass'],
    ['no-secrets', 'pass', 'retry'],
    ['redactor', 'pass', undefined],
  ]);
  expect(JSON.stringify(comparison)).not.toContain('ann@example.com');
  expect((await studio.get(`runs/${one.runId}/compare/none`)).status).toBe(404);
});

describe('a run forked from a recorded run', () => {
  const look = createTool({
    id: 'look',
    description: 'Looks an order up.',
    inputSchema: z.object({ order: z.string() }),
    execute: async ({ order }) => {
      looked.push(order);
      return { state: 'sent' };
    },
  });
  const looked: string[] = [];
  const open = async () => {
    const { agent, model } = makeAgent(
      [{ toolCalls: [{ id: 'call-1', name: 'look', args: { order: '7' } }] }, { text: 'It is sent.' }, { text: 'It is lost.' }],
      { tools: { look } },
    );
    const studio = await openStudio(agent);
    const recorded = await studio.run('Where is it?');
    looked.length = 0;
    const fork = async (edits: object) => {
      const { runId } = await body<{ runId: string }>(studio.post(`runs/${recorded.runId}/fork`, edits));
      await studio.entriesUntil(runId, (entry) => entry.kind === 'event' && entry.event.type === 'run-finish');
      return studio.json<RunComparison>(`runs/${recorded.runId}/compare/${runId}`);
    };
    const messageId = recorded.entries.find((entry) => entry.kind === 'input')?.messages.at(-1)?.id ?? '';
    return { fork, model, messageId };
  };

  it('calls the model only after an edited tool result', async () => {
    const { fork, model } = await open();
    const comparison = await fork({ results: { 'call-1': { state: 'lost' } } });
    expect(comparison.answers).toEqual({ before: 'It is sent.', after: 'It is lost.' });
    expect(looked).toEqual([]);
    expect(model.calls).toHaveLength(3);
    expect(JSON.stringify(model.calls[2]?.prompt)).toContain('lost');
  });

  it('continues from edited arguments, an edited response, and other instructions', async () => {
    const { fork, model } = await open();
    const changedArguments = await fork({ args: { 'call-1': { order: '8' } } });
    expect(changedArguments.answers.after).toBe('It is lost.');
    expect(changedArguments.rows.filter(({ phase }) => phase === toolCallPhase)).toMatchObject([
      {
        processorId: 'look',
        before: { verdict: 'done', reason: '{"order":"7"} → {"state":"sent"}' },
        after: { verdict: 'done', reason: '{"order":"8"} → {"state":"sent"}' },
        differs: true,
        agents: [],
      },
    ]);
    expect(looked).toEqual(['8']);
    expect(model.calls).toHaveLength(3);
    expect((await fork({ answers: { '1.1': 'It is here.' } })).answers.after).toBe('It is here.');
    expect(model.calls).toHaveLength(3);
    await fork({ instructions: 'Speak like a pirate.' });
    expect(model.calls).toHaveLength(4);
    expect(JSON.stringify(model.calls[3]?.prompt[0])).toContain('pirate');
  });

  it('makes no call without edits, and repeats all calls after an edited input', async () => {
    const { fork, model, messageId } = await open();
    expect((await fork({})).answers.after).toBe('It is sent.');
    expect(model.calls).toHaveLength(2);
    const comparison = await fork({ messages: { [messageId]: 'Is it lost?' } });
    expect(comparison).toMatchObject({
      after: { userText: 'Is it lost?', status: 'success' },
      answers: { after: 'It is lost.' },
    });
    expect(JSON.stringify(model.calls[2]?.prompt)).toContain('Is it lost?');
  });

  it('is judged by an added guard', async () => {
    const { fork, model } = await open();
    const comparison = await fork({ guard: { kind: 'ready', name: 'blockedTermsGuard', options: { terms: ['where'] } } });
    expect(comparison.after).toMatchObject({ status: 'tripwire', tripwire: { processorId: 'blocked-terms' } });
    expect(model.calls).toHaveLength(2);
  });
});

it('lists guards per run, strictest first, and verdict totals per guard', async () => {
  const { agent } = makeAgent([{ text: 'Write to ann@example.com.' }, { text: 'The SECRET of ann@example.com.' }], {
    hold: 'step',
  });
  const studio = await openStudio(agent);
  await studio.run('Where do I write to?');
  const { summary } = await studio.run('What is it?');
  expect(summary.signals).toEqual([
    { guard: 'no-secrets', verdict: 'retry', word: 'blocked', tone: 'trip' }, // no retry was left
    { guard: 'redactor', verdict: 'edit', word: 'edited', tone: 'edit' },
  ]);
  const { runs, guards } = await studio.json<GuardTotals>('guards');
  expect(runs).toBe(2);
  expect([...new Set(guards.map(({ guard }) => guard))]).toEqual(['no-secrets', 'redactor']); // each at its places
  expect(guards[0]).toMatchObject({ verdicts: { pass: 1, retry: 1, trip: 0 }, stoppedRuns: 1 });
  for (const { p50 = -1, p95 = -1 } of guards) expect(p50 >= 0 && p95 >= p50).toBe(true);
  expect(await studio.json<GuardTotals>('guards?agent=none')).toEqual({ runs: 0, guards: [] });
});
