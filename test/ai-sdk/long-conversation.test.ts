import { MessageList } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { tool, wrapLanguageModel, type ModelMessage } from 'ai';
import { afterEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { guardedToolLoop } from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';

afterEach(() => vi.restoreAllMocks());

/** The number of times that messages are added one by one: Mastra's list compares each with all its messages. */
const addsFor = async (messages: ModelMessage[]): Promise<number> => {
  const seen: number[] = [];
  const guard: Processor = {
    id: 'counts',
    processInputStep: async ({ messages: all }) => void seen.push(all.length),
    processOutputStep: async ({ messages: all }) => all,
  };
  const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text: ['Well.'] }] });
  const adds = vi.spyOn(MessageList.prototype, 'add');
  await guardedToolLoop({ model, guards: [guard] }).generate({ messages });
  expect(seen).toEqual([messages.length]);
  return adds.mock.calls.length;
};

it('a long conversation is converted in one call for the guards of a step, not message by message', async () => {
  const user = (content: string): ModelMessage => ({ role: 'user', content });
  const long = Array.from({ length: 40 }, (_, index) => user(`Question ${index}.`));
  const short = await addsFor([user('Hello.')]);
  vi.restoreAllMocks();
  expect(await addsFor(long)).toBe(short);
});

it('the JSON schema of a tool is made once for all runs of an agent, and not for each step', async () => {
  const sent = new Set<unknown>();
  const model = wrapLanguageModel({
    model: scriptedModel({
      specificationVersion: 'v4',
      steps: [{ toolCalls: [{ name: 'look', args: {} }] }, { text: ['Well.'] }, { text: ['Well.'] }],
    }),
    middleware: {
      specificationVersion: 'v4',
      transformParams: async ({ params }) => {
        for (const one of params.tools ?? []) if (one.type === 'function') sent.add(one.inputSchema);
        return params;
      },
    },
  });
  const look = tool({ inputSchema: z.object({}), execute: async () => 'Nothing.' });
  const passing: Processor = { id: 'passes', processOutputStep: async ({ messages }) => messages };
  const agent = guardedToolLoop({ model, tools: { look }, guards: [passing] });
  for (let count = 0; count < 2; count += 1) await agent.generate({ prompt: 'Hello.' });
  expect(sent.size).toBe(1);
});
