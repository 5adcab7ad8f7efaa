import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { expect, it } from 'vitest';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { modes } from './support.js';

const item = (itemId: string, more: object = {}) => ({ openai: { itemId, ...more } });
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

/** Each kind of part with its own metadata, in the format of OpenAI and Google: at the start, on a delta, at the end. */
const parts = [
  { type: 'stream-start', warnings: [] },
  { type: 'reasoning-start', id: 'r', providerMetadata: item('rs_1') },
  { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
  { type: 'reasoning-end', id: 'r', providerMetadata: item('rs_1', { reasoningEncryptedContent: 'sealed' }) },
  { type: 'reasoning-start', id: 'silent', providerMetadata: item('rs_2') },
  { type: 'reasoning-end', id: 'silent' },
  { type: 'text-start', id: 't', providerMetadata: item('msg_1') },
  { type: 'text-delta', id: 't', delta: 'Hello.' },
  { type: 'text-end', id: 't' },
  { type: 'text-start', id: 'u' },
  { type: 'text-delta', id: 'u', delta: 'Bye.', providerMetadata: { google: { thoughtSignature: 'signed' } } },
  { type: 'text-end', id: 'u' },
  { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=', providerMetadata: { google: { thoughtSignature: 'picture' } } },
  { type: 'finish', finishReason: 'stop', usage },
] as const;

it.each<[string, object, string[]]>([
  ['emitted without guards', {}, ['hidden words']],
  [
    'dropped with a guard of the output',
    { outputProcessors: [{ id: 'late', processOutputStep: ({ messages }: { messages: unknown }) => messages }] },
    [],
  ],
])('includeRawChunks requests raw chunks: %s', async (_, guards, expected) => {
  const raw = { type: 'raw', rawValue: 'hidden words' };
  const model = scriptedModel({ steps: [{ parts: [parts[0], raw, ...parts.slice(1)] as never }] });
  const agent = new InterlockAgent({ id: 'tested', name: 'Tested', instructions: 'Answer.', model, ...guards });
  const stream = await agent.stream('Hi', { includeRawChunks: true });
  const payloads: unknown[] = [];
  for await (const chunk of stream.fullStream) if (chunk.type === 'raw') payloads.push(chunk.payload);
  expect(model.calls[0]?.options.includeRawChunks).toBe(true);
  expect(payloads).toEqual(expected);
});

const target = { thread: 'thread-1', resource: 'user-1' };

/** The parts of the stored answer with metadata, and the prompt of the next turn. */
const keptBy = async (Kind: typeof Agent, mode: (typeof modes)[number], guards: object = {}) => {
  const memory = new Memory({ storage: new InMemoryStore() });
  const model = scriptedModel({ steps: [{ parts: parts as never }, { text: 'Again.' }] });
  const agent = new Kind({ id: 'tested', name: 'Tested', instructions: 'Answer.', model, memory, ...guards });
  const first =
    mode === 'generate'
      ? await agent.generate('Hi', { memory: target })
      : await (await agent.stream('Hi', { memory: target })).getFullOutput();
  await agent.generate('And?', { memory: target });
  const { messages } = await memory.recall({ threadId: target.thread });
  const [, answer] = messages;
  return {
    answer: answer?.content.parts.flatMap((part) => {
      const metadata = 'providerMetadata' in part ? part.providerMetadata : undefined;
      return metadata ? [{ type: part.type, metadata }] : [];
    }),
    prompt: model.calls[1]?.prompt.flatMap(({ role, content }) =>
      role === 'assistant'
        ? content.map(({ type, providerOptions: { mastra: _time, ...options } = {} }) => ({ type, options }))
        : [],
    ),
    steps: first.steps[0]?.content.map((one) => ('providerOptions' in one ? one.providerOptions : undefined)),
    reasoning: first.reasoning.map(({ payload }) => payload.providerMetadata),
  };
};

it.each(modes)('each kind of part keeps its provider metadata in %s: in steps, memory and the next prompt', async (mode) => {
  const stock = await keptBy(Agent, mode);
  const { answer, prompt, steps, reasoning } = await keptBy(InterlockAgent as never, mode);
  expect(answer).toEqual([
    { type: 'reasoning', metadata: item('rs_1', { reasoningEncryptedContent: 'sealed' }) },
    { type: 'reasoning', metadata: item('rs_2') },
    { type: 'text', metadata: item('msg_1') },
    { type: 'text', metadata: { google: { thoughtSignature: 'signed' } } },
    { type: 'file', metadata: { google: { thoughtSignature: 'picture' } } },
  ]);
  expect(answer).toEqual(stock.answer);
  expect(prompt).toEqual(stock.prompt);
  expect(steps?.filter(Boolean)).toHaveLength(4);
  expect(reasoning).toEqual([item('rs_1', { reasoningEncryptedContent: 'sealed' }), item('rs_2')]);
});

it('parts of an edited answer keep the provider metadata except quotations and ids of the original', async () => {
  const quoting = { openai: { itemId: 'msg_1', quote: 'Hello.', phase: 'final_answer' } };
  const partsWithMetadata = parts.map((part) =>
    part.type === 'text-start' && part.id === 't' ? { ...part, providerMetadata: quoting } : part,
  );
  const replacing: Processor = {
    id: 'replacing',
    processOutputStream: async ({ part }) =>
      part.type === 'text-delta' && part.payload.text === 'Hello.'
        ? { ...part, payload: { ...part.payload, text: '[…]' } }
        : part,
  };
  const model = scriptedModel({ steps: [{ parts: partsWithMetadata as never }] });
  const agent = new InterlockAgent({
    id: 'tested',
    name: 'Tested',
    instructions: 'Answer.',
    model,
    outputProcessors: [replacing],
  });
  const result = await agent.generate('Hi');
  expect(JSON.stringify(result.response.dbMessages)).not.toMatch(/Hello\.|msg_1/);
  expect(JSON.stringify(result.response.dbMessages)).toContain('final_answer');
});
