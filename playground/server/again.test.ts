import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import { pipeline } from '../../src/index.js';
import type { Comparison, RunsBeside } from '../protocol/runs.js';
import { makeAgent, openStudio } from './test-setup.js';

const body = async <T>(response: Promise<Response>): Promise<T> => (await response).json() as Promise<T>;

const polite: Processor = { id: 'polite', processInput: async ({ messages }) => messages };
const changed = ({ rows }: Pick<Comparison, 'rows'>) =>
  rows
    .filter(({ differs }) => differs)
    .map(({ processorId, before, after }) => [processorId, before?.verdict, after?.verdict] as const);

describe('a guard that is replayed over a recorded run', () => {
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

  it('is one that the library makes, with options, and joins the others', async () => {
    const { replayed } = await open();
    const guard = { kind: 'ready', name: 'blockedTermsGuard', options: { terms: ['blue'] } };
    const comparison = await replayed({ guard });
    expect(changed(comparison)).toEqual([['blocked-terms', undefined, 'trip']]);
    expect(comparison).toMatchObject({ before: { status: 'success' }, after: { status: 'tripwire' } });
    const harmless = await replayed({ guard: { ...guard, options: { terms: ['green'] } } });
    expect(harmless.after.status).toBe('success');
    expect(harmless.rows.filter(({ processorId }) => processorId === 'polite').every(({ differs }) => !differs)).toBe(true);
  });

  it('stands in the place of another', async () => {
    const { replayed } = await open();
    const guard = { kind: 'ready', name: 'blockedTermsGuard', options: { terms: ['blue'] } };
    expect(changed(await replayed({ guard, instead: 'polite' }))).toEqual([
      ['polite', 'pass', undefined],
      ['blocked-terms', undefined, 'trip'],
    ]);
  });

  it('is one of the application, as it is or with another policy', async () => {
    const { replayed } = await open();
    const guard = { kind: 'own', pipelineId: 'comes-in', path: 'comes-in/polite' };
    expect(changed(await replayed({ guard }))).toEqual([]);
    expect(changed(await replayed({ guard: { ...guard, options: { shadow: true } } }))).toEqual([['polite', 'pass', undefined]]);
  });

  it('is refused with the words of its options, and where there is none', async () => {
    const { replay } = await open();
    const wrong = await replay({ guard: { kind: 'ready', name: 'lengthGuard', options: { longest: 3 } } });
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { code: 'guard/unknown-option' } }]);
    expect((await replay({ guard: { kind: 'ready', name: 'noGuard' } })).status).toBe(404);
    expect((await replay({ guard: { kind: 'own', pipelineId: 'comes-in', path: 'comes-in' } })).status).toBe(404);
  });
});

it('two recorded runs are compared by verdicts and by words, and need no hidden ones', async () => {
  const { agent } = makeAgent([{ text: 'Write to ann@example.com.' }, { text: 'The SECRET is out.' }], { hold: 'step' });
  const studio = await openStudio(agent, { content: 'released' });
  const [one, other] = [await studio.run('Where do I write to?'), await studio.run('What is it?')];
  const beside = await studio.json<RunsBeside>(`runs/${one.runId}/beside/${other.runId}`);
  expect(beside).toMatchObject({
    before: { runId: one.runId, status: 'success', said: 'Where do I write to?' },
    after: { runId: other.runId, status: 'tripwire' },
    answers: { before: 'Write to [EMAIL].', after: '' },
  });
  expect(changed(beside)).toEqual([
    ['redactor', 'edit', 'pass'],
    ['no-secrets', 'pass', 'retry'],
    ['redactor', 'pass', undefined],
  ]);
  expect(JSON.stringify(beside)).not.toContain('ann@example.com');
  expect((await studio.get(`runs/${one.runId}/beside/none`)).status).toBe(404);
});
