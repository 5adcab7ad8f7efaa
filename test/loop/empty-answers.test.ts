import { generateText, streamText } from 'ai';
import { describe, expect, it } from 'vitest';
import { guardedToolLoop, withGuards } from '../../src/ai-sdk/index.js';
import { createAgent, guardOn, modes } from '../promises/support.js';

/** The end of a response without content. */
interface End {
  readonly finishReason: unknown;
  readonly usage: unknown;
}

const modelOf = (specificationVersion: string, end: End | undefined) => {
  const parts = [{ type: 'stream-start', warnings: [] }, ...(end ? [{ type: 'finish', ...end }] : [])];
  const doGenerate = async () => ({ content: [], warnings: [], ...end });
  const doStream = async () => ({ stream: ReadableStream.from(parts) });
  return { specificationVersion, provider: 'p', modelId: 'm', supportedUrls: {}, doGenerate, doStream } as never; // of the version's type
};

const unknown = { inputTokens: undefined, outputTokens: undefined };
const reason = (raw?: string) => ({ unified: 'other', raw });

const counted: Record<string, readonly [version: 'v2' | 'v3', end: End]> = {
  'other, version 2': ['v2', { finishReason: 'other', usage: { inputTokens: 3, outputTokens: 0, totalTokens: 3 } }],
  'unknown, version 2': ['v2', { finishReason: 'unknown', usage: { inputTokens: 3, outputTokens: 0, totalTokens: 3 } }],
  'other, version 3': ['v3', { finishReason: reason(), usage: { inputTokens: { total: 3 }, outputTokens: { total: 0 } } }],
};
const named: typeof counted = {
  'a reason of the provider': ['v3', { finishReason: reason('strange'), usage: { inputTokens: {}, outputTokens: {} } }],
};
const uncounted: typeof counted = {
  'other without usage, version 2': ['v2', { finishReason: 'other', usage: unknown }],
  'other with empty usage, version 2': ['v2', { finishReason: 'other', usage: { inputTokens: {}, outputTokens: {} } }],
  'other without usage, version 3': ['v3', { finishReason: reason(), usage: { inputTokens: {}, outputTokens: {} } }],
};

const guards = [guardOn('outputStep', () => undefined)];

describe.each(modes)('an agent, %s', (mode) => {
  const endOf = async (model: never) => {
    const agent = createAgent({ model, outputProcessors: guards });
    if (mode === 'generate') return agent.generate('Hi');
    return (await agent.stream('Hi')).getFullOutput();
  };

  it.each(Object.entries({ ...counted, ...named }))('a response without content is an answer: %s', async (_, [version, end]) => {
    expect(await endOf(modelOf(version, end))).toMatchObject({ status: 'success', text: '' });
  });

  it.each(Object.entries(uncounted))(
    'an end that a client may have made up is an answer only of doGenerate: %s',
    async (_, one) => {
      const ended = endOf(modelOf(...one));
      if (mode === 'generate') expect((await ended).usage).toMatchObject(unknown);
      else await expect(ended).rejects.toMatchObject({ code: 'model/malformed-stream' });
    },
  );
});

it('a stream without a finish part fails', async () => {
  const stream = await createAgent({ model: modelOf('v2', undefined) }).stream('Hi');
  await expect(stream.getFullOutput()).rejects.toMatchObject({ code: 'model/malformed-stream' });
});

const settings = { prompt: 'Hi', maxRetries: 0 };
const ways: Record<string, (model: never) => PromiseLike<string>> = {
  generateText: async (model) => (await generateText({ ...settings, model: withGuards(model, guards) })).finishReason,
  streamText: (model) => streamText({ ...settings, model: withGuards(model, guards), onError: () => undefined }).finishReason,
  'agent.generate': async (model) => (await guardedToolLoop({ model, guards }).generate({ prompt: 'Hi' })).finishReason,
  'agent.stream': async (model) =>
    (await guardedToolLoop({ model, guards, onError: () => undefined }).stream({ prompt: 'Hi' })).finishReason,
};

describe.each(Object.entries(ways))('the AI SDK, %s', (way, finishReason) => {
  const ofSdk = Object.entries({ ...counted, ...named, ...uncounted }).filter(([, [version]]) => version === 'v3');

  it.each(ofSdk)('a response without content is an answer, if its end comes from the provider: %s', async (name, [, end]) => {
    const isMadeUp = name in uncounted && (way === 'streamText' || way === 'agent.stream');
    const ended = await Promise.resolve(finishReason(modelOf('v4', end))).catch(String);
    expect(ended).toContain(isMadeUp ? 'model/malformed-stream' : 'other');
  });
});
