import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { generateText, tool, type ModelMessage } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';

import { guardedToolLoop, withGuards } from '../../src/ai-sdk/index.js';
import { guardsFor, InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';

const address = 'ann@example.com';
const without = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(address, '[x]')) as T;

/** Guards that edit what the provider gets, at each place. */
const guards: Readonly<Record<string, () => object>> = {
  processInput: () => ({ id: 'own', processInput: ({ messages }: { messages: unknown[] }) => without(messages) }),
  processInputStep: () => ({
    id: 'own',
    processInputStep: ({ messages }: { messages: unknown[] }) => ({ messages: without(messages) }),
  }),
  processLLMRequest: () => ({
    id: 'own',
    processLLMRequest: ({ prompt }: { prompt: unknown[] }) => ({ prompt: without(prompt) }),
  }),
  'processLLMRequest in place': () => ({
    id: 'own',
    processLLMRequest: ({ prompt }: { prompt: { content: unknown }[] }) => {
      for (const message of prompt) message.content = without(message.content);
    },
  }),
  'redactor, replace': () => redactor({ strategy: 'replace', kinds: ['email'] }),
  'redactor, restore': () => redactor({ strategy: 'restore', kinds: ['email'] }),
};

const history = (): ModelMessage[] => [
  { role: 'user', content: 'Hello.' },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: `Think of ${address}.`, providerOptions: { anthropic: { signature: 'SIGNED' } } },
      { type: 'text', text: `Write to ${address}.`, providerOptions: { openai: { itemId: 'msg_1' } } },
      { type: 'text', text: 'Bye.', providerOptions: { openai: { itemId: 'msg_2' } } },
    ],
  },
  { role: 'user', content: 'Go on.' },
  { role: 'assistant', content: [{ type: 'text', text: 'Yes.', providerOptions: { openai: { itemId: 'msg_3' } } }] },
  { role: 'user', content: 'Go on.' },
  { role: 'assistant', content: [{ type: 'text', text: 'Yes again.', providerOptions: { openai: { itemId: 'msg_3' } } }] },
  { role: 'user', content: 'Go on.' },
];

const sdkModel = () => scriptedModel({ specificationVersion: 'v4', steps: [{ text: 'Done.' }] });
const common = { id: 'a', name: 'a', instructions: 'x' };

/** The prompt that a provider gets on each host. */
const hosts: Readonly<Record<string, (guard: object) => Promise<unknown>>> = {
  InterlockAgent: async (guard) => {
    const model = scriptedModel({ steps: [{ text: 'Done.' }] });
    await new InterlockAgent({ ...common, model, inputProcessors: [guard as Processor] }).generate(history() as never);
    return model.calls[0]?.prompt;
  },
  guardsFor: async (guard) => {
    const model = scriptedModel({ steps: [{ text: 'Done.' }] });
    await new Agent({ ...common, model, ...guardsFor([guard as Processor]) } as never).generate(history());
    return model.calls[0]?.prompt;
  },
  guardedToolLoop: async (guard) => {
    const model = sdkModel();
    await guardedToolLoop({ model, guards: [guard as Processor] }).generate({ messages: history() });
    return model.calls[0]?.prompt;
  },
  withGuards: async (guard) => {
    const model = sdkModel();
    await generateText({ model: withGuards(model, [guard as Processor]), messages: history() });
    return model.calls[0]?.prompt;
  },
};

it.each(Object.keys(guards).flatMap((name) => Object.keys(hosts).map((host) => [name, host] as const)))(
  'P4 what an input guard edits is not sent by reference or signature, and other messages keep theirs: %s, %s',
  async (name, host) => {
    const prompt = JSON.stringify(await hosts[host]?.(guards[name]?.() ?? {}));
    const found = ['Go on.', address, 'SIGNED', 'msg_1', 'msg_2'].filter((text) => prompt.includes(text));
    expect([...found, ...(prompt.match(/msg_3/g) ?? [])]).toEqual(['Go on.', 'msg_3', 'msg_3']);
  },
);

const finish = (reason: 'stop' | 'tool-calls') => ({
  type: 'finish' as const,
  finishReason: { unified: reason, raw: reason },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
});

const spanOf = (type: 'text' | 'reasoning', text: string, providerMetadata: Record<string, Record<string, string>>) => [
  { type: `${type}-start` as const, id: type, providerMetadata },
  { type: `${type}-delta` as const, id: type, delta: text },
  { type: `${type}-end` as const, id: type, providerMetadata },
];

it('P4 an earlier step that a guard of the result edits leaves the AI SDK without references and signatures', async () => {
  const model = scriptedModel({
    specificationVersion: 'v4',
    steps: [
      {
        parts: [
          ...spanOf('reasoning', `Think of ${address}.`, { anthropic: { signature: 'SIGNED' } }),
          ...spanOf('text', `Write to ${address}.`, { openai: { itemId: 'msg_1' } }),
          {
            type: 'tool-call',
            toolCallId: 'c',
            toolName: 'look',
            input: '{}',
            providerMetadata: { openai: { itemId: 'fc_1' }, google: { thoughtSignature: 'CALL' } },
          },
          finish('tool-calls'),
        ],
      },
      { parts: [...spanOf('text', 'Done.', { openai: { itemId: 'msg_2' } }), finish('stop')] },
    ],
  });
  const guard = { id: 'own', processOutputResult: ({ messages }: { messages: unknown[] }) => without(messages) };
  const look = tool({ inputSchema: z.object({}), execute: () => 'ok' });
  const agent = guardedToolLoop({ model, tools: { look }, guards: [guard as unknown as Processor] });
  const result = await agent.stream({ prompt: 'Go.' });
  const chunks: unknown[] = [];
  for await (const chunk of result.toUIMessageStream()) chunks.push(chunk);
  const steps = (await result.steps).map(({ content, response: { messages } }) => ({ content, messages }));
  for (const left of [chunks, steps]) {
    const text = JSON.stringify(left);
    const found = ['Write to [x].', address, 'SIGNED', 'msg_1', 'fc_1', 'CALL', 'msg_2'].filter((one) => text.includes(one));
    expect(found).toEqual(['Write to [x].', 'CALL', 'msg_2']);
  }
});
