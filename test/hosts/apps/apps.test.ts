import { serve } from '@hono/node-server';
import { MastraClient } from '@mastra/client-js';
import { Agent } from '@mastra/core/agent';
import { MastraServer, type HonoBindings, type HonoVariables } from '@mastra/hono';
import { LibSQLStore } from '@mastra/libsql';
import { Hono } from 'hono';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { Agent as Swapped } from '../../../src/index.js';
import { startOpenAIServer } from '../../../src/testing/index.js';
import type { App } from './app.js';
import { desk } from './desk.js';
import { research } from './research.js';
import { textToSql } from './text-to-sql.js';
import { weather } from './weather.js';

/** The application behind Mastra's own server, over a database on disk, with a client. */
const start = async ({ create, reply }: App, AgentClass: typeof Agent) => {
  const provider = await startOpenAIServer({ reply });
  const folder = await mkdtemp(join(tmpdir(), 'interlock-apps-'));
  const storage = new LibSQLStore({ id: 'app', url: `file:${join(folder, 'app.db')}` });
  const model = { providerId: 'local', modelId: 'local-model', url: provider.baseUrl, apiKey: 'none' };
  const mastra = await create({ AgentClass, model, storage, folder });
  const hono = new Hono<{ Bindings: HonoBindings; Variables: HonoVariables }>();
  await new MastraServer({ app: hono, mastra }).init();
  const [server, url] = await new Promise<[ReturnType<typeof serve>, string]>((resolve) => {
    const own = serve({ fetch: hono.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }: AddressInfo) =>
      resolve([own, `http://127.0.0.1:${port}`]),
    );
  });
  return {
    mastra,
    url,
    storage,
    client: new MastraClient({ baseUrl: url, retries: 0 }),
    /** The model's input, and the names of tools. Mastra's sub-agents get their supervisor's instructions, too; here they do not. */
    asked: () =>
      provider.requests.map(({ body }) => {
        const { messages, tools = [] } = body as { messages: object[]; tools?: { function: { name: string } }[] };
        return [
          messages.filter((message, index) => index === 0 || !isSupervisor(message)),
          tools.map(({ function: { name } }) => name),
        ];
      }),
    close: async () => {
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
      await provider.close();
      await storage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const isSupervisor = (message: object) => 'content' in message && message.content === 'You are the supervisor.';

type Started = Awaited<ReturnType<typeof start>>;

/** Ids, times and folders differ in every run. */
/** A call shows the defaults of its tool's schema, as the tool gets them: Mastra's agent shows the model's own arguments. */
const withoutDefaults = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/,\\*"showLineNumbers\\*":true/g, ''));

const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (key, field: unknown) =>
      /^(id|.*Id|timestamp|.*At|created|ts)$/.test(key) ? undefined : field,
    )
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
      .replaceAll(/interlock-apps-\w+/g, 'FOLDER')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'),
  ) as unknown;

interface Chunk {
  readonly type: string;
  readonly payload?: { readonly text?: string; readonly toolName?: string; readonly args?: object; readonly result?: unknown };
}

/** The client's view of a stream: its text, its calls and their results. */
const read = async (response: { processDataStream: (options: { onChunk: never }) => Promise<void> }) => {
  const chunks: Chunk[] = [];
  await response.processDataStream({ onChunk: (async (chunk: Chunk) => void chunks.push(chunk)) as never });
  return {
    text: chunks.map(({ type, payload }) => (type === 'text-delta' ? payload?.text : '')).join(''),
    calls: chunks.flatMap(({ type, payload }) => (type === 'tool-call' ? [[payload?.toolName, payload?.args]] : [])),
    results: chunks.flatMap(({ type, payload }) => (type === 'tool-result' ? [plain(payload?.result)] : [])),
    ends: chunks.filter(({ type }) => type === 'finish').length,
  };
};

const savedIn = async ({ client }: Started, agentId: string, threadId: string) => {
  const { messages } = await client.getMemoryThread({ threadId, agentId }).listMessages();
  return (messages as { role: string; content: { parts: { type: string; text?: string }[] } }[]).map(({ role, content }) => [
    role,
    content.parts.map(({ type, text }) => text ?? type),
  ]);
};

const inThread = (thread: string) => ({ memory: { thread, resource: 'person' } });

/** The actions of a user of each application, and their results. */
const stories: Record<string, { app: App; proof: RegExp; play: (started: Started) => Promise<unknown> }> = {
  'the weather agent of a new project': {
    app: weather,
    proof: /Clear sky/,
    play: async (started) => {
      const agent = started.client.getAgent('weatherAgent');
      const streamed = await read(await agent.stream('What is the weather like?', inThread('one')));
      const { text, toolResults } = await agent.generate('And the weather tomorrow?', inThread('one'));
      const results = (toolResults as Chunk[]).map(({ payload }) => plain(payload));
      const scores = await vi.waitFor(async () => {
        const store = await started.storage.getStore('scores');
        const { scores: all = [] } =
          (await store?.listScoresByScorerId({
            scorerId: 'names-the-city',
            pagination: { page: 0, perPage: 10 },
          })) ?? {};
        expect(all).toHaveLength(2);
        return all.map(({ score, reason }) => [score, reason]);
      }, 10_000);
      return { streamed, text, results, scores, saved: await savedIn(started, 'weatherAgent', 'one') };
    },
  },
  'text to SQL': {
    app: textToSql,
    proof: /"object":\{"city":"Oslo","total":20\}/,
    play: async ({ client }) => {
      const agent = client.getAgent('sqlAgent');
      const streamed = await read(await agent.stream('How much did Oslo order?'));
      const denied = await read(await agent.stream('Delete all orders.'));
      const structuredOutput = {
        schema: {
          type: 'object',
          properties: { city: { type: 'string' }, total: { type: 'number' } },
          required: ['city', 'total'],
        },
      };
      const { object } = (await agent.generate('How much did Oslo order?', { structuredOutput } as never)) as { object: unknown };
      return { streamed, denied, object };
    },
  },
  'deep research': {
    app: research,
    proof: /Write about tides. Be short./,
    play: async ({ client }) => {
      const streamed = await read(await client.getAgent('supervisor').stream('Research tides.'));
      const run = await client.getWorkflow('researchWorkflow').createRun();
      const { status, result } = (await run.startAsync({ inputData: { topic: 'tides' } })) as {
        status: string;
        result?: unknown;
      };
      return { streamed, status, result };
    },
  },
  'a desk with a workspace, working memory and useChat': {
    app: desk,
    proof: /The shop opens at nine.*Hello, Ann/,
    play: async (started) => {
      const agent = started.client.getAgent('desk');
      const first = await read(await agent.stream('When do you open? When it opens, I come.', inThread('one')));
      const second = await read(await agent.stream('Please note: my name is Ann.', inThread('one')));
      const third = await read(await agent.stream('Who am I?', inThread('one')));
      const response = await fetch(`${started.url}/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
          ...inThread('two'),
        }),
      });
      const chat = (await response.text()).split('\n').filter((line) => line.includes('text-delta'));
      return {
        first,
        second,
        third,
        chat: plain(chat.map((line) => JSON.parse(line.slice(6)) as unknown)),
        saved: await savedIn(started, 'desk', 'one'),
      };
    },
  },
};

describe.each(Object.entries(stories))('%s', (_name, { app, proof, play }) => {
  const started: Started[] = [];
  beforeAll(async () => {
    for (const AgentClass of [Agent, Swapped as unknown as typeof Agent]) started.push(await start(app, AgentClass));
  });
  afterAll(async () => {
    for (const one of started) await one.close();
  });

  it('gives the same results after the swap of the import', async () => {
    const [before, after] = started as [Started, Started];
    const expected = await play(before);
    expect(JSON.stringify(expected)).toMatch(proof);
    expect(withoutDefaults(await play(after))).toEqual(withoutDefaults(expected));
    expect(after.mastra.listAgents()).not.toEqual({});
    expect(Object.values(after.mastra.listAgents())[0]).toBeInstanceOf(Swapped);
  });

  it('sends the same prompts to the model', () => {
    const [before, after] = started as [Started, Started];
    expect(withoutDefaults(plain(after.asked()))).toEqual(plain(before.asked()));
  });
});
