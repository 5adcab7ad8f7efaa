import type { Processor } from '@mastra/core/processors';
import { expect, it } from 'vitest';
import { pipeline } from '../../src/index.js';
import type { MergeView } from '../protocol/trace-entry.js';
import { masking } from '../samples/samples.js';
import { makeAgent, openStudio } from './test-setup.js';

const lastGuard: Processor = { id: 'last', processInput: ({ messages }) => messages };

const desk = (last: readonly Processor[]) => {
  const block = pipeline('desk').parallel([
    masking('mail', /[\w.]+@[\w.]+\w/g, '[mail]'),
    masking('domain', /\w+\.example/g, '[domain]'),
  ]);
  return last.reduce((made, one) => made.then(one), block).commit();
};

const conflictIn = async (last: readonly Processor[]) => {
  const { agent } = makeAgent([{ text: 'Fine.' }], { inputProcessors: desk(last) });
  const studio = await openStudio(agent);
  const { runId, entries } = await studio.run('Write to ada@mail.example now.');
  const conflict = entries.find((entry) => entry.kind === 'event' && entry.event.type === 'merge-conflict');
  const answer = await studio.get(`runs/${runId}/merges/${conflict?.seq}`);
  return { view: (await answer.json()) as MergeView, studio, runId };
};

it('reports the input, the proposals and the result of a conflict', async () => {
  const { view, studio, runId } = await conflictIn([lastGuard]);
  expect(view).toMatchObject({ phase: 'input', path: 'desk/parallel.0' });
  const [text] = view.texts;
  expect(text).toMatchObject({
    base: 'Write to ada@mail.example now.',
    proposals: [
      { processorId: 'mail', text: 'Write to [mail] now.' },
      { processorId: 'domain', text: 'Write to ada@[domain] now.' },
    ],
  });
  expect(text?.result).toBe('Write to [] now.'); // text that either guard removed stays removed
  expect((await studio.get(`runs/${runId}/merges/0`)).status).toBe(404);
});

it('reports no result if no guard after the block recorded one', async () => {
  const { view } = await conflictIn([]);
  expect(view.texts[0]).not.toHaveProperty('result');
});
