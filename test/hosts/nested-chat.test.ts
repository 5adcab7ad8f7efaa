import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { MastraClient } from '@mastra/client-js';
import { toAISdkStream } from '@mastra/ai-sdk';
import { serve } from '@hono/node-server';
import { MastraServer, type HonoBindings, type HonoVariables } from '@mastra/hono';
import { createUIMessageStreamResponse, type UIMessage } from 'ai';
import { Hono } from 'hono';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';

import { InterlockAgent } from '../../src/index.js';
import { acceptedMessages, visibleMessages } from '../../src/ui/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { serveCut } from '../serve-cut.js';
import { openChat } from './app/chat.js';

const rejected = 'ZEBRA';

const named = (id: string) => ({ id, name: id, description: id, instructions: id });

/** A supervisor of either class over an agent whose guard retries its first answer, or blocks it. */
const createSupervisor = (kind: 'interlock' | 'stock', retry: boolean): Agent => {
  const leaf = new InterlockAgent({
    ...named('leaf'),
    model: scriptedModel({ steps: ({ index }) => ({ text: index === 0 ? `It is ${rejected}.` : 'Here it is.' }) }),
    maxProcessorRetries: 1,
    hold: 'none',
    outputProcessors: [
      {
        id: 'judge',
        processOutputStep: ({ abort, retryCount, messages }) => (retryCount === 0 ? abort('No.', { retry }) : messages),
      },
    ],
  });
  const model = scriptedModel({
    steps: ({ prompt }) =>
      prompt.some(({ role }) => role === 'tool')
        ? { text: 'It has answered.' }
        : { text: 'I ask my colleague.', toolCalls: [{ name: 'agent-leaf', args: { prompt: 'Say it.' } }] },
  });
  const config = { ...named('over'), model, agents: { leaf } };
  return kind === 'interlock' ? new InterlockAgent(config) : new Agent(config);
};

const textsOf = ({ parts }: UIMessage): string[] => parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));

const cases = (['interlock', 'stock'] as const).flatMap((kind) =>
  [true, false].flatMap((retry) => [true, false].map((includeSubAgentMetadata) => ({ kind, retry, includeSubAgentMetadata }))),
);

describe.each(cases)('$kind over an agent that retries ($retry), its metadata on the page: $includeSubAgentMetadata', (one) => {
  it('the page and the next prompt keep the words of the supervisor and its call', async () => {
    const agent = createSupervisor(one.kind, one.retry);
    const { includeSubAgentMetadata } = one;
    await using server = await serveCut(async (request) => {
      const { messages } = (await request.json()) as { messages: UIMessage[] };
      const stream = await agent.stream(messages as never); // messages of the AI SDK
      const options = { from: 'agent', version: 'v7', includeSubAgentMetadata } as const;
      return createUIMessageStreamResponse({ stream: toAISdkStream(stream as never, options) }); // the host's type of a stream
    });
    const chat = openChat(server.url, 'over');
    await chat.sendMessage({ text: 'Go.' });
    const texts = ['I ask my colleague.', 'It has answered.'];
    for (const page of [visibleMessages(chat.messages), acceptedMessages(chat.messages)]) {
      const answer = page.at(-1) as UIMessage;
      expect(textsOf(answer)).toEqual(texts);
      expect(answer.parts.filter(({ type }) => type === 'tool-agent-leaf')).toHaveLength(1);
      expect(JSON.stringify(answer)).not.toContain(rejected);
      expect(JSON.stringify(answer)).not.toContain('data-interlock');
    }
  });
});

it('a client gets the retraction in the frame of the call', async () => {
  const mastra = new Mastra({ agents: { over: createSupervisor('interlock', true) }, logger: false });
  const hono = new Hono<{ Bindings: HonoBindings; Variables: HonoVariables }>();
  await new MastraServer({ app: hono, mastra }).init();
  const listening = Promise.withResolvers<number>();
  const server = serve({ fetch: hono.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }: AddressInfo) => listening.resolve(port));
  const client = new MastraClient({ baseUrl: `http://127.0.0.1:${await listening.promise}` });
  const chunks: { type: string; payload?: { output?: { type?: string } } }[] = [];
  const stream = await client.getAgent('over').stream('Go.');
  await stream.processDataStream({ onChunk: async (chunk) => void chunks.push(chunk as never) });
  await new Promise((resolve) => void server.close(resolve));
  expect(chunks.map(({ type }) => type).filter((type) => type.startsWith('data-'))).toEqual([]);
  expect(chunks.flatMap(({ payload }) => payload?.output?.type ?? [])).toContain('data-interlock-retract');
});
