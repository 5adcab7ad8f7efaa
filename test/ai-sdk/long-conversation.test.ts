import { MessageList } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import type { ModelMessage } from 'ai';
import { afterEach, expect, it, vi } from 'vitest';
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
