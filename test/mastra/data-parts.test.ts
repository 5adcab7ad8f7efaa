import { MockMemory } from '@mastra/core/memory';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent, memoryEngine } from '../../src/index.js';
import type { InterlockConfig } from '../../src/mastra/agent/config.js';
import { scriptedModel } from '../../src/testing/index.js';
import { guardOn, toolResultsIn } from '../promises/support.js';

const memory = { thread: 'thread', resource: 'person' };

/** An agent whose tool reports its progress. */
const createReporter = (config: InterlockConfig & Record<string, unknown> = {}) => {
  const store = new MockMemory();
  const model = scriptedModel({
    steps: (call) =>
      toolResultsIn(call) % 2 === 0 ? { text: 'I look. ', toolCalls: [{ name: 'look', args: { at: 'it' } }] } : { text: 'Done.' },
  });
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({ at: z.string() }),
    execute: async ({ at }, { writer }) => {
      const progress = { at, percent: 50 };
      await writer?.custom({ type: 'data-progress', data: progress });
      progress.percent = 100; // written data stays unchanged
      await writer?.custom({ type: 'data-progress', data: progress });
      await writer?.custom({ type: 'data-log', data: 'looking', transient: true } as never);
      return 'seen';
    },
  });
  const agent = new InterlockAgent({
    id: 'a',
    name: 'A',
    instructions: 'Help.',
    model,
    memory: store,
    tools: { look },
    ...config,
  });
  return { agent, store, model };
};

const partsIn = async (store: MockMemory) => {
  const { messages } = await store.recall({ threadId: memory.thread, resourceId: memory.resource });
  return messages.filter(({ role }) => role === 'assistant').flatMap(({ content }) => content.parts);
};

const dataIn = async (store: MockMemory): Promise<unknown[]> =>
  (await partsIn(store)).flatMap((part) => (part.type.startsWith('data-') ? [(part as { data?: unknown }).data] : []));

const both = [
  { at: 'it', percent: 50 },
  { at: 'it', percent: 100 },
];

/** Removes a percentage, or the whole part. */
const censor = (edit: (data: { percent: number }) => object | null): Processor => ({
  id: 'censor',
  processDataParts: true,
  processOutputStream: async ({ part }) => {
    if (part.type !== 'data-progress') return part;
    const data = edit(part.data as { percent: number });
    return data && { ...part, data };
  },
});

describe('data parts that a tool writes', () => {
  it.each(['generate', 'stream', 'held', 'durable'] as const)(
    'are saved with the answer, except transient ones: %s',
    async (way) => {
      const held = way === 'held' && { hold: 'run' as const };
      const { agent, store, model } = createReporter({ ...held, ...(way === 'durable' && { durability: memoryEngine() }) });
      if (way === 'generate') await agent.generate('Go.', { memory });
      else await (await agent.stream('Go.', { memory })).consumeStream();
      expect((await partsIn(store)).map(({ type }) => type)).toEqual([
        'text',
        'tool-invocation',
        'data-progress',
        'data-progress',
        'step-start',
        'text',
      ]);
      expect(await dataIn(store)).toEqual(both);
      await agent.generate('Again.', { memory }); // the model gets none of them
      expect(JSON.stringify(model.calls.at(-1)?.prompt)).not.toContain('percent');
    },
  );

  it('are saved as guards changed them', async () => {
    const { agent, store } = createReporter({
      outputProcessors: [censor(({ percent }) => (percent < 100 ? null : { percent: '?' }))],
    });
    await agent.generate('Go.', { memory });
    expect(await dataIn(store)).toEqual([{ percent: '?' }]);
  });

  it('are not saved for a rejected step or run', async () => {
    const rejecting = guardOn('toolResult', ({ abort }) => abort('no'));
    const { agent, store } = createReporter({ outputProcessors: [rejecting] });
    expect((await agent.generate('Go.', { memory })).status).toBe('tripwire');
    expect((await partsIn(store)).map(({ type }) => type)).toEqual(['tool-invocation']); // only that it ran
  });
});

describe('data parts that a guard writes', () => {
  const note = (data: unknown) => ({ type: 'data-note', data });
  const writes = ['inputStep', 'outputStream', 'outputStep', 'toolResult', 'outputResult'] as const;

  it.each(writes.flatMap((phase) => (['generate', 'stream', 'durable'] as const).map((way) => ({ phase, way }))))(
    'are saved with the answer: $phase, $way',
    async ({ phase, way }) => {
      const writing = guardOn(phase, async ({ writer }) => writer?.custom(note(phase)), { times: 1 });
      const lane = phase === 'inputStep' ? 'inputProcessors' : 'outputProcessors';
      const { agent, store, model } = createReporter({
        [lane]: [writing],
        ...(way === 'durable' && { durability: memoryEngine() }),
      });
      if (way === 'generate') await agent.generate('Go.', { memory });
      else await (await agent.stream('Go.', { memory })).consumeStream();
      expect((await dataIn(store)).filter((data) => data === phase)).toEqual([phase]);
      await agent.generate('Again.', { memory });
      expect(JSON.stringify(model.calls.at(-1)?.prompt)).not.toContain('data-note');
    },
  );

  it('are saved as other guards changed them', async () => {
    const writing = guardOn('outputStep', async ({ writer }) => writer?.custom(note({ percent: 1 })), { times: 1 });
    const hiding: Processor = {
      id: 'hiding',
      processDataParts: true,
      processOutputStream: async ({ part }) => (part.type === 'data-note' ? { ...part, data: 'hidden' } : part),
    };
    const { agent, store } = createReporter({ outputProcessors: [writing, hiding] });
    await agent.generate('Go.', { memory });
    expect(await dataIn(store)).toEqual(['hidden', ...both]);
  });

  it('are not saved for a rejected attempt', async () => {
    let attempts = 0;
    const retrying = guardOn('outputStep', async ({ writer, abort }) => {
      attempts += 1;
      await writer?.custom(note(attempts));
      if (attempts === 1) abort('no', { retry: true });
    });
    const { agent, store } = createReporter({ outputProcessors: [retrying], maxProcessorRetries: 2 });
    await agent.generate('Go.', { memory });
    expect((await dataIn(store)).filter((data) => typeof data === 'number')).toEqual([2, 3]);
  });
});
