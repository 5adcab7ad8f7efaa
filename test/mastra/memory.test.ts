import { MockMemory } from '@mastra/core/memory';
import type { Processor } from '@mastra/core/processors';
import { MASTRA_RESOURCE_ID_KEY, MASTRA_THREAD_ID_KEY, RequestContext } from '@mastra/core/request-context';
import { describe, expect, it } from 'vitest';

import { tripping } from '../../src/testing/index.js';
import { callThen, echo, expectRefusal, makeAgent, modes, promptOf, textOf } from './support.js';

const target = { thread: 'thread-1', resource: 'user-1' };
const remembering = () => new MockMemory({ enableMessageHistory: true });

const savedIn = async (memory: MockMemory, threadId = 'thread-1') => {
  const { messages } = await memory.recall({ threadId, resourceId: 'user-1' });
  return messages.map((message) => `${message.role}: ${textOf(message)}`);
};

describe.each(modes)('memory in %s', (mode) => {
  const ask = async (agent: ReturnType<typeof makeAgent>['agent'], text: string, options: object = { memory: target }) => {
    const result = await agent[mode](text, options);
    return result.text;
  };

  it('the next run sees the earlier messages', async () => {
    const memory = remembering();
    const { agent, model } = makeAgent([{ text: 'Hello Ada.' }, { text: 'Ada.' }], { memory });
    await ask(agent, 'I am Ada.');
    await ask(agent, 'Who am I?');
    expect(promptOf(model, 1)).toEqual([
      ['system', 'Answer.'],
      ['user', 'I am Ada.'],
      ['assistant', 'Hello Ada.'],
      ['user', 'Who am I?'],
    ]);
    expect(await savedIn(memory)).toEqual(['user: I am Ada.', 'assistant: Hello Ada.', 'user: Who am I?', 'assistant: Ada.']);
  });

  it('loads before the guards run and saves their output [spec 3.4]', async () => {
    const memory = remembering();
    const seen: string[] = [];
    const input: Processor = {
      id: 'reads',
      processInputStep: ({ messages }) => void seen.push(messages.map(textOf).join(' | ')),
    };
    const output: Processor = {
      id: 'edits',
      processOutputResult: ({ messages }) =>
        messages.map((message) => ({ ...message, content: { ...message.content, parts: [{ type: 'text', text: 'Edited.' }] } })),
    };
    const { agent } = makeAgent([{ text: 'One.' }, { text: 'Two.' }], {
      memory,
      inputProcessors: [input],
      outputProcessors: [output],
    });
    await ask(agent, 'First');
    await ask(agent, 'Second');
    expect(seen).toEqual(['First', 'First | Edited. | Second']);
    expect(await savedIn(memory)).toEqual(['user: First', 'assistant: Edited.', 'user: Second', 'assistant: Edited.']);
  });

  it('is used if a call has its own guards [spec 2.44]', async () => {
    const memory = remembering();
    const { agent } = makeAgent('One.', { memory, inputProcessors: [tripping('processInput', 'No.')] });
    await ask(agent, 'First', { memory: target, inputProcessors: () => [], outputProcessors: [] });
    expect(await savedIn(memory)).toEqual(['user: First', 'assistant: One.']);
  });

  it.each([
    ['processInput', 'inputProcessors'],
    ['processInputStep', 'inputProcessors'],
    ['processLLMRequest', 'inputProcessors'],
    ['processOutputStream', 'outputProcessors'],
    ['processLLMResponse', 'inputProcessors'],
    ['processOutputStep', 'outputProcessors'],
  ] as const)('saves nothing if %s trips [spec 3.5]', async (hook, lane) => {
    const memory = remembering();
    const steps = callThen('echo', { say: 'hi' });
    const { agent } = makeAgent(steps, { memory, tools: { echo }, [lane]: [tripping(hook, 'No.')] });
    expect(await ask(agent, 'First')).toBe('');
    expect(await savedIn(memory)).toEqual([]);
  });

  it.each(['processToolResult', 'processOutputResult'] as const)('saves only that a tool ran if %s trips', async (hook) => {
    const memory = remembering();
    const steps = callThen('echo', { say: 'hi' });
    const { agent } = makeAgent(steps, { memory, tools: { echo }, outputProcessors: [tripping(hook, 'No.')] });
    expect(await ask(agent, 'First')).toBe('');
    expect(await savedIn(memory)).toEqual(['user: First', 'assistant: ']);
    const saved = JSON.stringify((await memory.recall({ threadId: 'thread-1', resourceId: 'user-1' })).messages);
    expect(saved).toContain('"toolName":"echo","args":{}');
    expect(saved).not.toContain('"say"');
  });

  it('saves nothing if the run fails', async () => {
    const memory = remembering();
    const { agent } = makeAgent([{ error: new Error('refused') }], { memory });
    await expect(ask(agent, 'First')).rejects.toThrow('refused');
    expect(await savedIn(memory)).toEqual([]);
  });

  it('does not save a rejected attempt or its feedback', async () => {
    const memory = remembering();
    const guard = tripping('processOutputStep', 'Too short.', { retry: true, times: 1 });
    const { agent } = makeAgent([{ text: 'No.' }, { text: 'A long answer.' }], {
      memory,
      outputProcessors: [guard],
      maxProcessorRetries: 1,
    });
    await ask(agent, 'First');
    expect(await savedIn(memory)).toEqual(['user: First', 'assistant: A long answer.']);
  });

  it('a thread keeps its title and metadata', async () => {
    const memory = remembering();
    const { agent } = makeAgent([{ text: 'One.' }, { text: 'Two.' }], { memory });
    const thread = { id: 'thread-1', title: 'Greetings', metadata: { a: 1 } };
    await ask(agent, 'First', { memory: { thread, resource: 'user-1' } });
    await ask(agent, 'Second', { memory: { thread: { id: 'thread-1', metadata: { b: 2 } }, resource: 'user-1' } });
    expect(await memory.getThreadById({ threadId: 'thread-1' })).toMatchObject({ title: 'Greetings', metadata: { a: 1, b: 2 } });
  });

  it('ids of the request context override those of the caller', async () => {
    const memory = remembering();
    const { agent } = makeAgent('One.', { memory });
    const requestContext = new RequestContext([
      [MASTRA_THREAD_ID_KEY, 'thread-1'],
      [MASTRA_RESOURCE_ID_KEY, 'user-1'],
    ]);
    await ask(agent, 'First', { requestContext, memory: { thread: 'stolen', resource: 'somebody' } });
    expect(await savedIn(memory)).toEqual(['user: First', 'assistant: One.']);
    expect(await memory.getThreadById({ threadId: 'stolen' })).toBeNull();
  });

  it('an agent with memory answers without a thread, too', async () => {
    const { agent } = makeAgent('One.', { memory: remembering() });
    expect(await ask(agent, 'First', {})).toBe('One.');
  });

  it.each([
    ['the thread is missing', { resource: 'user-1' }],
    ['the resource is missing', { thread: 'thread-1' }],
  ])('is rejected if %s', async (_name, wrong) => {
    const { agent, model } = makeAgent('One.', { memory: remembering() });
    await expectRefusal('agent/invalid-option', model, () => ask(agent, 'First', { memory: wrong }));
  });

  it('is rejected if the thread belongs to another resource', async () => {
    const memory = remembering();
    await memory.createThread({ threadId: 'thread-1', resourceId: 'somebody' });
    const { agent, model } = makeAgent('One.', { memory });
    await expectRefusal('agent/invalid-option', model, () => ask(agent, 'First'));
  });

  it('of a call does not affect an agent without memory, as in Mastra', async () => {
    const { agent } = makeAgent();
    expect(await ask(agent, 'First')).toBe('Hello.');
  });
});
