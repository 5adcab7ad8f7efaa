import { Agent } from '@mastra/core/agent';
import type { AgentChannels, ChannelConfig } from '@mastra/core/channels';
import { Mastra } from '@mastra/core/mastra';
import type { Processor } from '@mastra/core/processors';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import { Message, type Adapter, type ChatInstance } from 'chat';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

import { InterlockAgent } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';

/** A platform for direct messages; it records the posts. */
const createPlatform = () => {
  const posted: string[] = [];
  let chat: ChatInstance | undefined;
  const textOf = (message: unknown): string => (typeof message === 'string' ? message : JSON.stringify(message));
  const post = async (threadId: string, message: unknown) => {
    posted.push(textOf(message));
    return { id: `posted-${posted.length}`, raw: {}, threadId };
  };
  const adapter: Partial<Adapter> = {
    name: 'desk',
    userName: 'bot',
    initialize: async (instance) => void (chat = instance),
    isDM: () => true,
    channelIdFromThreadId: (threadId) => threadId,
    decodeThreadId: (threadId) => threadId,
    encodeThreadId: String,
    postMessage: post,
    editMessage: (threadId, _id, message) => post(threadId, message),
    deleteMessage: async () => undefined,
    startTyping: async () => undefined,
    addReaction: async () => undefined,
    removeReaction: async () => undefined,
    renderFormatted: (content) => JSON.stringify(content),
    fetchMessages: async () => ({ messages: [] }),
    fetchThread: async (id) => ({ id, channelId: id, metadata: {} }),
    handleWebhook: async () => new Response('ok'),
  };
  const author = { userId: 'ada', userName: 'ada', fullName: 'Ada', isBot: false, isMe: false };
  let sent = 0;
  const send = async (text: string) => {
    sent += 1;
    const message = new Message({
      id: `message-${sent}`,
      threadId: 'desk:1',
      text,
      author,
      attachments: [],
      formatted: { type: 'root', children: [{ type: 'paragraph', children: [{ type: 'text', value: text }] }] },
      metadata: { dateSent: new Date(), edited: false },
      raw: {},
    });
    await chat?.processMessage(adapter as Adapter, 'desk:1', message);
  };
  const press = async (actionId: string) => {
    const event = { actionId, adapter: adapter as Adapter, messageId: 'posted-1', raw: {}, threadId: 'desk:1', user: author };
    await chat?.processAction(event, undefined);
  };
  return { adapter: adapter as Adapter, posted, send, press };
};

const noPassword: Processor = {
  id: 'no-password',
  processOutputStep: ({ text, abort, messageList }) =>
    text?.includes('swordfish') ? abort('The answer has the password.') : messageList,
};

const start = async (
  Class: typeof InterlockAgent,
  steps: readonly ScriptedStep<'v2'>[],
  config: object = {},
  ofAdapter: object = {},
) => {
  const platform = createPlatform();
  const channels: ChannelConfig = { adapters: { desk: { adapter: platform.adapter, streaming: false, ...ofAdapter } } };
  const model = scriptedModel({ steps });
  const agent = new Class({
    id: 'tested',
    name: 'Tested',
    instructions: 'Answer.',
    model,
    memory: new Memory({ storage: new InMemoryStore() }),
    outputProcessors: [noPassword],
    channels,
    ...config,
  });
  const mastra = new Mastra({ agents: { tested: agent }, storage: new InMemoryStore(), logger: false });
  await agent.getChannels()?.initialize(mastra);
  return { ...platform, agent };
};

describe('an agent with a channel', () => {
  it.each([
    ['Mastra', Agent as unknown as typeof InterlockAgent],
    ['ours', InterlockAgent],
  ])('answers a direct message: %s', async (_name, Class) => {
    const { send, posted } = await start(Class, [{ text: 'Good morning, Ada.' }]);
    await send('Good morning');
    await expect.poll(() => posted.join('\n')).toContain('Good morning, Ada.');
  });

  it('posts the tripwire reason and no text of an answer that a guard rejects', async () => {
    const { send, posted } = await start(InterlockAgent, [{ text: 'The password is swordfish.' }], { hold: 'step' });
    await send('What is the password?');
    await expect.poll(() => posted.join('\n')).toContain('The answer has the password.');
    expect(posted.join('\n')).not.toContain('swordfish');
  });

  it('requests approval before a tool runs', async () => {
    const paid: string[] = [];
    const pay = createTool({
      id: 'pay',
      description: 'Pays.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: async () => void paid.push('Paid.'),
    });
    const steps = [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'It is paid.' }];
    const { send, posted, press } = await start(InterlockAgent, steps, { tools: { pay } });
    await send('Pay.');
    await expect.poll(() => posted.join('\n')).toContain('tool_approve:');
    expect(paid).toEqual([]);
    const [button = ''] = /tool_approve:[^"]+/.exec(posted.join('\n')) ?? [];
    await press(button);
    await expect.poll(() => posted.join('\n')).toContain('It is paid.');
    expect(paid).toEqual(['Paid.']);
  });

  it.each(['generate', 'stream'] as const)('a failing channel does not affect the run: %s', async (mode) => {
    const { agent } = await start(InterlockAgent, [{ text: 'Good morning.' }]);
    const fails = () => Promise.reject(new Error('The platform is down.'));
    vi.spyOn(agent.getChannels() as AgentChannels, 'getOutputProcessors').mockReturnValue([
      { id: 'chat-channel-render', processOutputStream: fails },
    ]);
    const result = await agent[mode]('Hi');
    expect(await result.text).toBe('Good morning.');
    expect(result.status).toBe('success');
  });

  it('answers in a channel without buttons', async () => {
    const { send, posted } = await start(InterlockAgent, [{ text: 'Good morning, Ada.' }], {}, { toolDisplay: 'text' });
    await send('Good morning');
    await expect.poll(() => posted.join('\n')).toContain('Good morning, Ada.');
  });
});
