import { setImmediate } from 'node:timers/promises';
import type { MessageList } from '@mastra/core/agent/message-list';
import { MockMemory } from '@mastra/core/memory';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pipeline, type Phase } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { createAgent, everyHook, guardOn, laned, modelFor, modes, runAgent, type HookArgs } from '../promises/support.js';

const late = 'ZEBRA';

/** All changes that a hook can make to its conversation. */
const scribble = (messageList: MessageList): void => {
  for (const message of messageList.get.all.db()) {
    for (const part of message.content.parts) {
      if (part.type === 'text') part.text = late;
      if (part.type === 'tool-invocation') Object.assign(part.toolInvocation, { args: { late }, result: { late } });
    }
    message.content.parts.push({ type: 'text', text: late });
  }
  messageList.add(late, 'input');
  messageList.add({ role: 'assistant', content: late }, 'response');
  messageList.addSystem(late);
};

interface Held {
  lists: MessageList[];
  results: { late?: string }[];
}

const listOf = (args: HookArgs): MessageList => args.messageList as unknown as MessageList;

/** The phases whose hooks get the conversation. */
const handed = everyHook.filter(({ phase }) => phase !== 'llmResponse');

const memoryTarget = { thread: 'thread-1', resource: 'person-1' };
const savedIn = async (memory: MockMemory): Promise<string> => {
  const thread = await memory.getThreadById({ threadId: memoryTarget.thread });
  const { messages = [] } = thread
    ? await memory.recall({ threadId: memoryTarget.thread, resourceId: memoryTarget.resource })
    : {};
  return JSON.stringify(messages);
};

/** A guard that keeps its list, and handles the call with `act`. */
const holding = (phase: Phase, held: Held, act: (args: HookArgs) => unknown): Processor =>
  guardOn(phase, (args) => {
    held.lists.push(listOf(args));
    return act(args);
  });

describe.each(handed)('an abandoned hook, $phase, $mode', ({ phase, mode }) => {
  it('does not change a canceled run', async () => {
    const held: Held = { lists: [], results: [] };
    const controller = new AbortController();
    const memory = new MockMemory({ enableMessageHistory: true });
    const stuck = holding(phase, held, () => {
      controller.abort();
      return new Promise(() => undefined); // it ignores its signal
    });
    const agent = createAgent({ model: modelFor(phase), memory, ...laned([phase, stuck]) });
    const ran = await runAgent(agent, mode, { abortSignal: controller.signal, memory: memoryTarget });
    expect(ran.status).toBe('canceled');
    const before = JSON.stringify(ran);
    for (const list of held.lists) scribble(list);
    await setImmediate();
    expect(JSON.stringify(ran)).toBe(before);
    expect(JSON.stringify([ran.result?.messages, ran.result?.response, await savedIn(memory)])).not.toContain(late);
  });

  it('does not change a run that ended after the hook returned', async () => {
    const held: Held = { lists: [], results: [] };
    const agent = createAgent({ model: modelFor(phase), ...laned([phase, holding(phase, held, () => undefined)]) });
    const ran = await runAgent(agent, mode);
    const before = JSON.stringify(ran);
    expect(held.lists.length).toBeGreaterThan(0);
    for (const list of held.lists) scribble(list);
    expect(JSON.stringify(ran)).toBe(before);
  });
});

describe.each(handed)('a hook in a block stopped by a sibling, $phase, $mode', ({ phase, mode }) => {
  it('does not change the run', async () => {
    const held: Held = { lists: [], results: [] };
    const stuck = { ...holding(phase, held, () => new Promise(() => undefined)), id: 'stuck' };
    const blocking = guardOn(phase, ({ abort }) => abort('no'), { id: 'blocking' });
    const block = pipeline('block').parallel([stuck, blocking]).commit();
    const ran = await runAgent(createAgent({ model: modelFor(phase), ...laned([phase, block]) }), mode);
    expect(ran.status).toBe('tripwire');
    expect(held.lists).toHaveLength(1);
    const before = JSON.stringify(ran);
    for (const list of held.lists) scribble(list);
    expect(JSON.stringify(ran)).toBe(before);
  });
});

const retriable = handed.filter(({ phase }) => phase !== 'apiError');

describe.each(retriable)('a hook of a rejected attempt, $phase, $mode', ({ phase, mode }) => {
  it('does not change the next attempt', async () => {
    const held: Held = { lists: [], results: [] };
    const model = modelFor(phase);
    const rejecting = guardOn(
      phase,
      (args) => {
        held.lists.push(listOf(args));
        args.abort('no', { retry: true });
      },
      { times: 1 },
    );
    const scribbleLate = ({ retryCount }: { retryCount: number }): undefined => {
      if (retryCount > 0) for (const list of held.lists.splice(0)) scribble(list);
    };
    const scribbling: Processor = {
      id: 'scribbling',
      processInput: (args) => {
        scribbleLate(args);
        return args.messageList;
      },
      processInputStep: scribbleLate,
    };
    const { inputProcessors = [], outputProcessors } = laned([phase, rejecting]);
    const agent = createAgent({
      model,
      maxProcessorRetries: 1,
      inputProcessors: [...(inputProcessors as Processor[]), scribbling],
      outputProcessors,
    });
    const ran = await runAgent(agent, mode);
    expect(held.lists).toEqual([]); // its late change was made
    expect(ran.status).toBe('success');
    expect(JSON.stringify([ran, model.calls.map(({ prompt }) => prompt)])).not.toContain(late);
  });
});

describe.each(modes)('a tool that changes its result late, %s', (mode) => {
  it('does not change the reported result', async () => {
    const held: Held = { lists: [], results: [] };
    const lookup = createTool({
      id: 'lookup',
      description: 'Looks it up.',
      inputSchema: z.object({}),
      execute: async () => {
        const result: { late?: string } = {};
        held.results.push(result);
        return result;
      },
    });
    const model = scriptedModel({
      steps: ({ index }) => (index === 0 ? { toolCalls: [{ name: 'lookup', args: {} }] } : { text: 'Done.' }),
    });
    const meddling: Processor = {
      id: 'meddling',
      processInputStep: () => {
        for (const result of held.results) result.late = late;
      },
    };
    const ran = await runAgent(createAgent({ model, tools: { lookup }, inputProcessors: [meddling] }), mode);
    expect(held.results).toEqual([{ late }]);
    expect(JSON.stringify([ran, model.calls.map(({ prompt }) => prompt)])).not.toContain(late);
  });

  it('has no effect after an abort', async () => {
    const controller = new AbortController();
    let answer: (value: object) => void = () => undefined;
    const slow = createTool({
      id: 'slow',
      description: 'Takes its time.',
      inputSchema: z.object({}),
      execute: () => {
        controller.abort();
        return new Promise<object>((resolve) => (answer = resolve));
      },
    });
    const model = scriptedModel({ steps: [{ toolCalls: [{ name: 'slow', args: {} }] }] });
    const judged: unknown[] = [];
    const watching = guardOn('toolResult', (args) => void judged.push(args));
    const agent = createAgent({ model, tools: { slow }, outputProcessors: [watching] });
    const ran = await runAgent(agent, mode, { abortSignal: controller.signal });
    const before = JSON.stringify(ran);
    answer({ late });
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    expect(JSON.stringify(ran)).toBe(before);
    expect(before).not.toContain(late);
    expect(judged).toEqual([]);
  });

  it('starts no hook after an abort', async () => {
    const controller = new AbortController();
    const steps: number[] = [];
    const lookup = createTool({
      id: 'lookup',
      description: 'Looks it up.',
      inputSchema: z.object({}),
      execute: async () => ({}),
      // Called while the prompt is made, before the hooks that see it.
      toModelOutput: () => {
        controller.abort();
        return { type: 'text', value: 'Nothing.' };
      },
    });
    const model = scriptedModel({ steps: [{ toolCalls: [{ name: 'lookup', args: {} }] }] });
    const watching: Processor = { id: 'watching', processLLMRequest: ({ stepNumber }) => void steps.push(stepNumber) };
    const agent = createAgent({ model, tools: { lookup }, inputProcessors: [watching] });
    expect((await runAgent(agent, mode, { abortSignal: controller.signal })).status).toBe('canceled');
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    expect(steps).toEqual([0]);
  });
});

it('a run keeps its own error if a model call fails at any time after an abort', async () => {
  for (let turns = 0; turns < 60; turns += 1) {
    const controller = new AbortController();
    const failLate = async (): Promise<never> => {
      await setImmediate();
      controller.abort(new Error('enough')); // the call ignores its signal
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      throw new Error('late');
    };
    const model = { ...scriptedModel({ steps: [] }), doStream: failLate, doGenerate: failLate };
    const { status, runEvents } = await createAgent({ model }).generate('Hi', { abortSignal: controller.signal });
    expect(status).toBe('canceled');
    expect(runEvents.at(-1)).toMatchObject({ type: 'run-finish', error: { code: 'run/canceled' } });
  }
});
