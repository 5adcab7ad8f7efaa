import { Agent } from '@mastra/core/agent';
import { BatchPartsProcessor, type Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import { guardsFor, InterlockAgent, pipeline, type PipelineStep } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { chunksOf, createAgent, guardOn, modes, readAll, runAgent, textOnWire, type Chunk } from '../promises/support.js';

const words = ['one ', 'two ', 'three ', 'four ', 'five ', 'six ', 'seven '];

const contentTypes = new Set(['text-start', 'text-delta', 'text-end', 'tool-call', 'tool-result']);

/** The stream as its reader sees it, in order. */
const contentOf = (chunks: readonly Chunk[]): unknown[] =>
  chunks
    .filter(({ type }) => contentTypes.has(type))
    .map(({ type, payload }) => [type, (payload as { text?: string } | undefined)?.text ?? '']);

const streamOf = async (agent: Agent): Promise<Chunk[]> => readAll((await agent.stream('Count.')).fullStream);

const wirings: Record<string, (steps: readonly Processor[]) => PipelineStep[]> = {
  'in an array': (steps) => [...steps],
  'in a pipeline': (steps) => [steps.reduce((made, step) => made.then(step), pipeline('house')).commit()],
};

describe('a chunk that a processor queues for reprocessing', () => {
  const sizes = [1, 2, 3, 4, 5, 7, 8];
  const followers: Record<string, Processor[]> = {
    alone: [],
    'before a guard that edits': [
      {
        id: 'loud',
        processOutputStream: async ({ part }) =>
          part.type === 'text-delta' ? { ...part, payload: { ...part.payload, text: part.payload.text.toUpperCase() } } : part,
      },
    ],
  };
  const cases = sizes.flatMap((batchSize) =>
    Object.keys(followers).flatMap((follower) => Object.keys(wirings).map((wiring) => ({ batchSize, follower, wiring }))),
  );

  it.each(cases)(
    'is emitted as in Mastra’s own agent: batches of $batchSize, $follower, $wiring',
    async ({ batchSize, follower, wiring }) => {
      const config = () => ({
        id: 'counter',
        name: 'Counter',
        instructions: 'Count.',
        model: scriptedModel({ steps: [{ text: words }] }),
      });
      const processors = () => [new BatchPartsProcessor({ batchSize }), ...(followers[follower] ?? [])];
      const stock = contentOf(await streamOf(new Agent({ ...config(), outputProcessors: processors() as never })));
      const guarded = new InterlockAgent({
        ...config(),
        outputProcessors: wirings[wiring]?.(processors()),
        window: 'delta',
      });
      const own = contentOf(await streamOf(guarded)); // in a separate line: inferred from a parameter's type, it takes the compiler minutes
      expect(own).toEqual(stock);
      expect(own.at(-1)).toEqual(['text-end', '']);
    },
  );

  it.each(sizes)('is processed by Mastra’s own agent with guardsFor: batches of %s', async (batchSize) => {
    const config = { id: 'counter', name: 'Counter', instructions: 'Count.' };
    const model = () => scriptedModel({ steps: [{ text: words }] });
    const batching = () => new BatchPartsProcessor({ batchSize });
    const stock = await streamOf(new Agent({ ...config, model: model(), outputProcessors: [batching() as never] }));
    const guards = guardsFor(pipeline('house').then(batching()).commit());
    const guarded = await streamOf(new Agent({ ...config, model: model(), ...guards }));
    expect(contentOf(guarded)).toEqual(contentOf(stock));
  });

  it.each(modes)('becomes part of the answer, %s', async (mode) => {
    const model = scriptedModel({ steps: [{ text: words }] });
    const ran = await runAgent(createAgent({ model, outputProcessors: [new BatchPartsProcessor({ batchSize: 4 })] }), mode);
    expect(ran.result?.text).toBe(words.join(''));
  });

  const stashing = (): Processor => ({
    id: 'stashing',
    processOutputStream: async ({ part, state }) => {
      if (part.type !== 'text-delta' || part.payload.text.startsWith('(')) return part;
      state['__mastraReprocessPart'] = { ...part, payload: { ...part.payload, text: `(${part.payload.text})` } };
      return part;
    },
  });

  it.each(modes)('is judged by every stream guard, %s', async (mode) => {
    const model = scriptedModel({ steps: [{ text: ['secret'] }] });
    const blocking = guardOn('outputStream', ({ abort }) => abort('no'), {
      when: ({ part }) => JSON.stringify(part?.payload).includes('(secret)'),
    });
    const ran = await runAgent(createAgent({ model, outputProcessors: [blocking, stashing()] }), mode);
    expect(ran).toMatchObject({ status: 'tripwire', result: { text: '', tripwire: { reason: 'no' } } });
    expect(textOnWire(ran)).toBe('secret');
  });

  it.each(modes)('is dropped with the rejected attempt, %s', async (mode) => {
    const model = scriptedModel({ steps: [{ text: ['secret'] }, { text: ['(fine)'] }] });
    const rejecting = guardOn('outputStream', ({ abort }) => abort('no', { retry: true }), { times: 1 });
    const ran = await runAgent(createAgent({ model, maxProcessorRetries: 1, outputProcessors: [stashing(), rejecting] }), mode);
    expect(ran).toMatchObject({ status: 'success', result: { text: '(fine)' } });
    expect(textOnWire(ran)).toBe('(fine)');
  });

  it.each(modes)('does not loop if it is queued repeatedly, %s', async (mode) => {
    const model = scriptedModel({ steps: [{ text: ['again'] }] });
    const endless: Processor = {
      id: 'endless',
      processOutputStream: async ({ part, state }) => {
        if (part.type === 'text-delta') state['__mastraReprocessPart'] = part;
        return part;
      },
    };
    const ran = await runAgent(createAgent({ model, outputProcessors: [endless] }), mode);
    expect(ran.status).toBe('success');
    expect(chunksOf(ran, 'text-end')).toHaveLength(1);
  });
});
