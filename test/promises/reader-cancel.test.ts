import { describe, expect, it } from 'vitest';
import { InterlockAgent, type InterlockStream } from '../../src/index.js';
import type { InterlockConfig } from '../../src/mastra/agent/config.js';
import { memoryEngine } from '../../src/durable/memory-engine.js';
import { scriptedModel } from '../../src/testing/index.js';

const steps = [{ text: Array.from({ length: 200 }, (_, at) => `word${at} `) }];

const agentWith = (config: InterlockConfig): InterlockAgent =>
  new InterlockAgent({ id: 'a', name: 'a', instructions: 'Help.', model: scriptedModel({ steps }), ...config });

type Read = (stream: InterlockStream) => Promise<void>;

const readings: Record<string, Read> = {
  'cancels its reader': async ({ fullStream }) => {
    const reader = fullStream.getReader();
    await reader.read();
    await reader.cancel();
  },
  'breaks the loop': async ({ textStream }) => {
    for await (const text of textStream) if (text) break;
  },
};

/** The end of a run whose reader left. */
const leave = async (read: Read, config: InterlockConfig, options: object = {}): Promise<string> => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const onRunEvent: InterlockConfig['onRunEvent'] = (event) => {
    if (event.type === 'run-finish') resolve(event.status);
  };
  const stream = await agentWith({ ...config, onRunEvent }).stream('Hi', options);
  await read(stream);
  return promise;
};

describe.each(Object.entries(readings))('a stream whose reader %s', (_name, read) => {
  it.each<[string, InterlockConfig, object]>([
    ['an agent', { onReaderCancel: 'stop' }, {}],
    ['a call', {}, { onReaderCancel: 'stop' }],
    ['a durable run', { onReaderCancel: 'stop', durability: memoryEngine() }, {}],
  ])('ends its run as canceled with onReaderCancel stop: %s', async (_case, config, options) => {
    expect(await leave(read, config, options)).toBe('canceled');
  });

  it('ends its run on a host without `AbortSignal.any`, such as an edge route', async () => {
    const any = AbortSignal.any;
    Object.assign(AbortSignal, { any: undefined });
    try {
      expect(await leave(read, { onReaderCancel: 'stop' }, { abortSignal: new AbortController().signal })).toBe('canceled');
    } finally {
      Object.assign(AbortSignal, { any });
    }
  });

  it('does not end its run otherwise, as in Mastra', async () => {
    expect(await leave(read, {})).toBe('success');
    expect(await leave(read, { onReaderCancel: 'stop' }, { onReaderCancel: 'finish' })).toBe('success');
  });
});

it('a run continues if its result is awaited or it has another reader', async () => {
  const stream = await agentWith({ onReaderCancel: 'stop' }).stream('Hi');
  const text = stream.text;
  for await (const chunk of stream.fullStream) if (chunk.type === 'text-delta') break;
  expect(await text).toContain('word199');
  const other = await agentWith({ onReaderCancel: 'stop' }).stream('Hi');
  const reader = other.fullStream.getReader();
  await reader.read();
  for await (const chunk of other.fullStream) if (chunk.type === 'text-delta') break;
  while (!(await reader.read()).done);
  expect(other.status).toBe('success');
});
