import { createTool } from '@mastra/core/tools';
import { toAISdkStream } from '@mastra/ai-sdk';
import { createUIMessageStreamResponse, type UIMessage } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent, memoryEngine } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { serveCut } from '../serve-cut.js';
import { openChat } from './app/chat.js';

/** An agent whose only tool ends when the test decides. */
const createWaiting = () => {
  const released = Promise.withResolvers<void>();
  const wait = createTool({
    id: 'wait',
    description: 'Waits.',
    inputSchema: z.object({}),
    execute: () => released.promise.then(() => 'waited'),
  });
  const model = scriptedModel({
    steps: [{ text: 'I wait.', toolCalls: [{ name: 'wait', args: {} }] }, { text: 'That was long.' }],
  });
  const agent = new InterlockAgent({
    name: 'Waiting',
    instructions: 'Wait.',
    model,
    tools: { wait },
    durability: memoryEngine(),
  });
  return { agent, release: released.resolve };
};

/** The two routes of a chat, as in the guide on durable runs. */
const routesOf = (agent: InterlockAgent) => {
  const active = new Map<string, string>();
  return async (request: Request): Promise<Response> => {
    if (request.method === 'POST') {
      const { id, messages } = (await request.json()) as { id: string; messages: UIMessage[] };
      const runId = crypto.randomUUID();
      active.set(id, runId);
      return served(await agent.stream(messages as never, { runId })); // messages of the AI SDK
    }
    const runId = active.get(decodeURIComponent(new URL(request.url).pathname.split('/').at(-2) ?? ''));
    return runId ? served(await agent.attach(runId, { from: 0 })) : new Response(null, { status: 204 });
  };
};

const served = (stream: unknown): Response =>
  createUIMessageStreamResponse({ stream: toAISdkStream(stream as never, { from: 'agent', version: 'v7' }) }); // the host's type of a stream

const wordsOf = (messages: readonly UIMessage[]): string[] =>
  messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])));

it('a resumed chat shows the whole answer once after a dropped connection', async () => {
  const { agent, release } = createWaiting();
  await using server = await serveCut(routesOf(agent));
  const chat = openChat(server.url, 'waiting');
  const sent = chat.sendMessage({ text: 'Go.' });
  await expect.poll(() => wordsOf(chat.messages)).toEqual(['I wait.']);
  server.cut();
  await sent.catch(() => undefined);
  expect(chat.status).toBe('error');

  const resumed = chat.resumeStream();
  release();
  await resumed;
  expect(wordsOf(chat.messages)).toEqual(['I wait.', 'That was long.']);
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(chat.status).toBe('ready');
});

it('a chat without a run resumes nothing', async () => {
  const { agent } = createWaiting();
  await using server = await serveCut(routesOf(agent));
  const chat = openChat(server.url, 'waiting');
  await chat.resumeStream();
  expect([chat.status, chat.messages]).toEqual(['ready', []]);
});
