import { serve, type ServerType } from '@hono/node-server';
import { Mastra } from '@mastra/core/mastra';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { MastraServer, type HonoBindings, type HonoVariables } from '@mastra/hono';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { Hono } from 'hono';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

import { InterlockAgent, type RunEvent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

const rejected = 'REJECTED-0815';
const receipt = 'RECEIPT-4711';
const memory = { thread: 'thread-1', resource: 'person' };

/** A server with an agent that pays and then answers; the guard of the answer waits until the client has gone. */
const serveStopped = async () => {
  let isJudging = (): void => undefined;
  const judging = new Promise<void>((resolve) => (isJudging = resolve));
  const events: RunEvent[] = [];
  const pay = createTool({ id: 'pay', description: 'p', inputSchema: z.object({}), execute: async () => ({ receipt }) });
  const strict: Processor = {
    id: 'strict',
    processOutputResult: ({ messages, abort, abortSignal }) => {
      if (!JSON.stringify(messages).includes(rejected)) return messages;
      isJudging();
      return new Promise((_, reject) => {
        abortSignal?.addEventListener('abort', () => {
          try {
            abort('No.');
          } catch (tripwire) {
            reject(tripwire);
          }
        });
      });
    },
  };
  const model = scriptedModel({
    steps: ({ index }) =>
      [{ text: `${rejected} a`, toolCalls: [{ name: 'pay', args: {} }] }, { text: `${rejected} b` }][index] ?? {
        text: 'Let me see.',
      },
  });
  const storage = new LibSQLStore({ id: 's', url: ':memory:' });
  const agent = new InterlockAgent({
    id: 'payer',
    name: 'Payer',
    instructions: 'Pay.',
    model,
    memory: new Memory({ storage }),
    tools: { pay },
    outputProcessors: [strict],
    onRunEvent: (event) => void events.push(event),
  });
  const hono = new Hono<{ Bindings: HonoBindings; Variables: HonoVariables }>();
  await new MastraServer({ app: hono, mastra: new Mastra({ agents: { payer: agent }, storage, logger: false }) }).init();
  const { server, url } = await new Promise<{ server: ServerType; url: string }>((resolve) => {
    const opened = serve({ fetch: hono.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }: AddressInfo) =>
      resolve({ server: opened, url: `http://127.0.0.1:${port}/api/agents/payer` }),
    );
  });
  onTestFinished(async () => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
    await storage.close();
  });
  const post = (way: string, body: object, signal?: AbortSignal) =>
    fetch(`${url}/${way}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ memory, ...body }),
      ...(signal && { signal }),
    });
  return { judging, events, model, post, agent };
};

it('a client that disconnects while the last guard judges finds no unjudged words in memory, and the accepted call with its result', async () => {
  const { judging, events, model, post, agent } = await serveStopped();
  const client = new AbortController();
  const left = post('stream', { messages: 'Pay.' }, client.signal)
    .then((response) => response.text())
    .catch(() => 'left');
  await judging;
  client.abort();
  expect(await left).toBe('left');
  await expect.poll(() => events.map(({ type }) => type)).toContain('run-finish');
  expect(events.find(({ type }) => type === 'run-finish')).toMatchObject({ status: 'canceled' });
  const rows = JSON.stringify(await (await agent.getMemory())?.recall({ threadId: memory.thread, resourceId: memory.resource }));
  await (await post('generate', { messages: 'Did it work?' })).text();
  for (const seen of [rows, JSON.stringify(model.calls.at(-1)?.prompt)]) {
    expect(seen).toContain('"toolName":"pay"');
    expect(seen).not.toContain(rejected);
    expect(seen).toContain(receipt);
  }
});

it('a request cannot have steps saved before their last verdict', async () => {
  const { model, post } = await serveStopped();
  const response = await post('stream', { messages: 'Pay.', savePerStep: true });
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('savePerStep')]);
  expect(model.calls).toHaveLength(0);
});
