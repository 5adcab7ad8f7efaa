import { createTool } from '@mastra/core/tools';
import { expect, it } from 'vitest';
import { z } from 'zod';

import { attachResponse, errorResponse, InterlockAgent, memoryEngine } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { serveCut } from '../serve-cut.js';

/** An agent whose only tool ends when the test decides. */
const createWaiting = () => {
  const requested = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const wait = createTool({
    id: 'wait',
    description: 'Waits.',
    inputSchema: z.object({}),
    execute: async () => {
      requested.resolve();
      await released.promise;
      return 'waited';
    },
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
  return { agent, requested: requested.promise, release: released.resolve };
};

interface Received {
  readonly ids: number[];
  readonly types: string[];
  hasEnded: boolean;
}

/** Reads events until the stream ends or its connection is cut. */
const receive = async (response: Response, received: Received, onEvent: () => void = () => undefined): Promise<void> => {
  let text = '';
  for await (const piece of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    const events = (text + piece).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const fields = Object.fromEntries(
        event.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
      );
      if (fields['event'] === 'end') received.hasEnded = true;
      if (fields['id'] !== undefined) received.ids.push(Number(fields['id']));
      if (fields['id'] !== undefined) received.types.push((JSON.parse(fields['data'] ?? '') as { type: string }).type);
      onEvent();
    }
  }
};

it('a client that reconnects gets each chunk once, from its last position', async () => {
  const { agent, requested, release } = createWaiting();
  await using server = await serveCut((request) =>
    attachResponse(agent, new URL(request.url).pathname.slice(1), request).catch(errorResponse),
  );
  const own = agent.stream('Go.', { runId: 'run' });
  await requested;
  const received: Received = { ids: [], types: [], hasEnded: false };
  const cutOff = receive(await fetch(`${server.url}/run`), received, () => {
    if (received.types.includes('tool-call')) server.cut();
  });
  await expect(cutOff).rejects.toThrow('terminated');
  expect(received).toMatchObject({ hasEnded: false, types: expect.arrayContaining(['text-delta', 'tool-call']) as unknown });

  const headers = { 'last-event-id': String(received.ids.at(-1)) };
  const resumed = receive(await fetch(`${server.url}/run`, { headers }), received);
  release();
  await resumed;

  const types: string[] = [];
  for await (const { type } of (await own).fullStream as AsyncIterable<{ type: string }>) types.push(type);
  expect(received.types).toEqual(types);
  expect(received.ids).toEqual([...new Set(received.ids)].toSorted((a, b) => a - b));
  expect(received.hasEnded).toBe(true);
});

it('an unknown run returns 404 with its code', async () => {
  const { agent } = createWaiting();
  await using server = await serveCut((request) => attachResponse(agent, 'other', request).catch(errorResponse));
  const response = await fetch(server.url);
  expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'durable/no-run' } }]);
});

it('an id that no chunk has returns 400 instead of the whole run', async () => {
  const { agent } = createWaiting();
  await using server = await serveCut((request) => attachResponse(agent, 'other', request).catch(errorResponse));
  for (const id of ['abc', '-1', '1.5']) {
    const response = await fetch(server.url, { headers: { 'last-event-id': id } });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { path: 'Last-Event-ID' } }]);
  }
});
