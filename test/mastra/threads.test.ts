import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { Mastra } from '@mastra/core/mastra';
import { MockMemory } from '@mastra/core/memory';
import type { Processor } from '@mastra/core/processors';
import { SignalProvider } from '@mastra/core/signals';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

import { InterlockAgent } from '../../src/index.js';
import type { InterlockConfig } from '../../src/mastra/agent/config.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { all, promptOf, textOf, withText } from './support.js';

/** Threads belong to the process, so each test has a separate one. */
let target = { threadId: 'thread', resourceId: 'person' };
let threads = 0;
beforeEach(() => {
  target = { ...target, threadId: `thread-${(threads += 1)}` };
});

/** Enough time on a busy machine. */
const soon = { timeout: 10_000 };

const answering = (call: { prompt: unknown }): ScriptedStep<'v2'> => ({
  text: JSON.stringify(call.prompt).includes('Leak') ? 'The secret is out.' : 'Hello.',
});

const threadAgent = (config: InterlockConfig & Record<string, unknown> = {}, steps: unknown = answering) => {
  const store = new MockMemory();
  const model = scriptedModel({ steps: steps as typeof answering });
  const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: 'Help.', model, memory: store, ...config });
  return { agent, model, store };
};

/** Follows a thread; `until` returns its chunks so far once it has the given number of one type. */
const follow = async (agent: InterlockAgent) => {
  const subscription = await agent.subscribeToThread(target);
  const chunks: { type: string; payload?: unknown; data?: unknown }[] = [];
  void (async () => {
    for await (const chunk of subscription.stream) chunks.push(chunk);
  })();
  const until = (type: string, times = 1) =>
    vi.waitFor(() => {
      expect(chunks.filter((chunk) => chunk.type === type)).toHaveLength(times);
      return chunks;
    }, soon);
  const text = () => chunks.flatMap(({ type, payload }) => (type === 'text-delta' ? [(payload as { text: string }).text] : []));
  return { chunks, until, text, end: () => subscription.unsubscribe() };
};

const noSecret: Processor = {
  id: 'no-secret',
  processOutputStream: async ({ part, abort }) =>
    part.type === 'text-delta' && part.payload.text.includes('secret') ? abort('No secrets.') : part,
};

const noAttack: Processor = {
  id: 'no-attack',
  processInput: ({ messages, abort }) =>
    messages.some((one) => textOf(one).includes('Attack')) ? abort('No attacks.') : messages,
};

const politely: Processor = {
  id: 'politely',
  processInput: ({ messages }) => messages.map((one) => withText(one, (text) => text.replace('Idiot', 'Friend'))),
};

describe('a message that is sent to a thread', () => {
  it('is answered by a run of the agent, which subscribers read', async () => {
    const { agent, model, store } = threadAgent();
    const { until, text, end } = await follow(agent);
    const { accepted } = agent.sendMessage('Hi', target);
    expect(await accepted).toMatchObject({ action: 'wake' });
    await until('finish');
    expect(text().join('')).toBe('Hello.');
    expect(promptOf(model)).toEqual([
      ['system', 'Help.'],
      ['user', 'Hi'],
    ]);
    await expect.poll(async () => (await store.recall(target)).messages.map(textOf)).toEqual(['Hi', 'Hello.']);
    end();
  });

  it('is judged by the input guards: a rejected message does not reach the model', async () => {
    const { agent, model, store } = threadAgent({ inputProcessors: [noAttack] });
    const { until, chunks, end } = await follow(agent);
    agent.sendMessage('Attack', target);
    await until('tripwire');
    expect(JSON.stringify(chunks)).not.toContain('Attack');
    expect(model.calls).toEqual([]);
    expect((await store.recall(target)).messages).toEqual([]);
    end();
  });

  it('is shown to subscribers as the guards changed it', async () => {
    const { agent, model } = threadAgent({ inputProcessors: [politely] });
    const { until, chunks, end } = await follow(agent);
    agent.sendMessage('Idiot', target);
    await until('finish');
    const echo = chunks.find(({ type }) => type === 'data-user-message');
    expect(echo?.data).toMatchObject({ type: 'user', contents: 'Friend' });
    expect(promptOf(model).at(-1)).toEqual(['user', 'Friend']);
    end();
  });

  it('gives subscribers only the output that passed the guards', async () => {
    const { agent } = threadAgent({ outputProcessors: [noSecret] });
    const { until, chunks, text, end } = await follow(agent);
    agent.sendMessage('Leak it', target);
    await until('finish');
    expect(text()).toEqual([]);
    expect(JSON.stringify(chunks)).not.toContain('secret is out');
    expect(chunks.some(({ type }) => type === 'tripwire')).toBe(true);
    end();
  });

  it('waits for the current run and starts the next, in which it is judged', async () => {
    let goOn = (): void => undefined;
    const paused = new Promise<void>((resolve) => (goOn = resolve));
    const wait = createTool({
      id: 'wait',
      description: 'Waits',
      inputSchema: z.object({}),
      execute: () => paused.then(() => 'ok'),
    });
    const steps = (call: { prompt: { role: string }[] }) =>
      call.prompt.filter(({ role }) => role === 'user').length === 1 && !call.prompt.some(({ role }) => role === 'tool')
        ? { toolCalls: [{ name: 'wait', args: {} }] }
        : { text: 'Hello.' };
    const { agent, model } = threadAgent({ inputProcessors: [noAttack], tools: { wait } }, steps);
    const { until, chunks, end } = await follow(agent);
    agent.sendMessage('Hi', target);
    await until('tool-call');
    expect(await agent.sendMessage('Attack', target).accepted).toMatchObject({ action: 'deliver' });
    expect(await agent.queueMessage('More', target).accepted).toBeDefined();
    goOn();
    await until('finish', 3);
    expect(chunks.filter(({ type }) => type === 'tripwire')).toHaveLength(1);
    expect(JSON.stringify(model.calls.map(({ prompt }) => prompt))).not.toContain('Attack');
    expect(promptOf(model, 2).at(-1)).toEqual(['user', 'More']);
    end();
  });

  it('concurrent streams of one thread run in turn and reach subscribers', async () => {
    const { agent } = threadAgent();
    const { until, end } = await follow(agent);
    const memory = { thread: target.threadId, resource: target.resourceId };
    const [one, other] = await Promise.all([agent.stream('Hi', { memory }), agent.stream('Hello', { memory })]);
    expect([await one.text, await other.text]).toEqual(['Hello.', 'Hello.']);
    await until('finish', 2);
    end();
  });
});

describe('a thread with a run that waits for approval', () => {
  const withApproval = () => {
    const ran = vi.fn(() => 'done');
    const pay = createTool({
      id: 'pay',
      description: 'Pays',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: async () => ran(),
    });
    const steps = (call: { prompt: { role: string }[] }) =>
      call.prompt.some(({ role }) => role === 'tool')
        ? { text: 'Paid.' }
        : { toolCalls: [{ id: 'pay-1', name: 'pay', args: {} }] };
    return { ran, ...threadAgent({ tools: { pay } }, steps) };
  };

  it.each([true, false])('accepts an approval by its thread (%s)', async (approved) => {
    const { agent, ran } = withApproval();
    const { until, text, end } = await follow(agent);
    agent.sendMessage('Pay', target);
    await until('tool-call-approval');
    await expect.poll(() => agent.getActiveThreadRunId(target)).toBeDefined();
    await agent.sendToolApproval({ ...target, toolCallId: 'pay-1', approved });
    await expect.poll(() => text().join('')).toBe('Paid.');
    expect(ran).toHaveBeenCalledTimes(approved ? 1 : 0);
    end();
  });

  it('accepts resume data by sendStreamResume', async () => {
    const { agent, ran } = withApproval();
    const { until, text, end } = await follow(agent);
    const { accepted } = agent.sendMessage('Pay', target);
    await until('tool-call-approval');
    const { runId } = (await accepted) as { runId: string };
    await expect.poll(async () => (await agent.listSuspendedRuns(target)).total).toBe(1);
    await agent.sendStreamResume({ ...target, runId, toolCallId: 'pay-1', resumeData: { approved: true } });
    await expect.poll(() => text().join('')).toBe('Paid.');
    expect(ran).toHaveBeenCalledTimes(1);
    end();
  });
});

describe('signals and notifications of a thread', () => {
  it('a signal and a notification start a run and are judged', async () => {
    const { agent, model } = threadAgent({ inputProcessors: [noAttack], notifications: {} });
    const mastra = new Mastra({ agents: { a: agent }, storage: new InMemoryStore(), logger: false });
    expect(mastra.getAgent('a')).toBe(agent);
    const { until, end } = await follow(agent);
    await agent.sendSignal({ type: 'reactive', tagName: 'ci', contents: 'The build broke.' }, target).accepted;
    await until('finish');
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('The build broke.');
    await agent.sendSignal({ type: 'reactive', tagName: 'ci', contents: 'Attack' }, target).accepted;
    await until('finish', 2);
    expect(model.calls).toHaveLength(1);
    await agent.sendNotificationSignal({ source: 'ci', kind: 'failed', summary: 'Red.', priority: 'urgent' } as never, target);
    await until('finish', 3);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('Red.');
    end();
  });

  it('the owner of a claimed thread answers its messages', async () => {
    const { agent } = threadAgent();
    const { until, text, end } = await follow(agent);
    const { claimed, unsubscribe } = await agent.claimThreadOwnership({ ...target });
    expect(claimed).toBe(true);
    await agent.sendMessage('Hi', target).accepted;
    await until('finish');
    expect(text().join('')).toBe('Hello.');
    unsubscribe();
    end();
  });

  it('a signal provider adds its processors to the arrays and its tools to the agent', async () => {
    class Subscribing extends SignalProvider {
      readonly id = 'subscribing';
      override getInputProcessors = () => [
        {
          id: 'hint',
          processInput: ({ messages }: { messages: MastraDBMessage[] }) =>
            messages.map((one) => withText(one, (text) => `${text} Attack`)),
        },
      ];
      override getTools = () => ({
        subscribe: createTool({ id: 'subscribe', description: 'Subscribes', execute: async () => 'ok' }),
      });
    }
    const { agent, model } = threadAgent({ signals: [new Subscribing()] });
    await agent.generate('Hi');
    expect(promptOf(model).at(-1)).toEqual(['user', 'Hi Attack']);
    expect((model.calls[0]?.options.tools ?? []).map(({ name }) => name)).toContain('subscribe');
    const guarded = threadAgent({ signals: [new Subscribing()], inputProcessors: [noAttack] });
    expect((await guarded.agent.generate('Hi')).status).toBe('tripwire');
  });

  it('a message cannot set a model or loosen a guard', async () => {
    const { agent, model } = threadAgent({ inputProcessors: [noAttack] });
    const ownModel = { model: { id: 'mine/one', url: 'http://127.0.0.1:1' } } as never;
    const sent = agent.sendMessage('Hi', { ...target, ifIdle: { streamOptions: ownModel } });
    await expect(sent.accepted).rejects.toMatchObject({ code: 'agent/served-option' });
    const loosened = agent.sendMessage('Attack', { ...target, ifIdle: { streamOptions: { inputProcessors: [] } } });
    await expect(loosened.accepted).rejects.toMatchObject({ code: 'agent/loosened-option' });
    expect(model.calls).toEqual([]);
  });
});

it('the caller can stop a run that was resumed at once', async () => {
  const caller = new AbortController();
  const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
  const execute = async () => {
    await pause();
    caller.abort();
    await pause();
  };
  const pay = createTool({ id: 'pay', description: 'Pays.', inputSchema: z.object({}), requireApproval: true, execute });
  const { agent } = threadAgent({ tools: { pay } }, [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'Done.' }]);
  agent['__registerMastra'](new Mastra({ storage: new InMemoryStore(), logger: false }));
  const memory = { thread: target.threadId, resource: target.resourceId };
  const stream = await agent.stream('Go', { memory });
  await all(stream.fullStream as AsyncIterable<unknown>);
  const resumed = await agent.approveToolCall({ runId: stream.runId, memory, abortSignal: caller.signal });
  expect(await resumed.getFullOutput()).toMatchObject({ status: 'canceled' });
});
