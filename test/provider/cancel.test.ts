import { describe, expect, it } from 'vitest';
import { messageText, type OpenAIServer, type Reply } from '../../src/testing/index.js';
import { callAgent, clients, makeAgent, ways, type ClientName } from './call-agent.js';
import { startServer } from './start-server.js';

const long: Reply = { kind: 'text', text: 'word '.repeat(2_000), chunks: 5 };

/** The caller cancels as soon as the server has written something, or has the request. */
const giveUp = (server: () => OpenAIServer, deltas: number): AbortSignal => {
  const controller = new AbortController();
  const watch = setInterval(() => {
    const [request] = server().requests;
    if (!request || request.written < deltas) return;
    clearInterval(watch);
    controller.abort(new Error('The user canceled.'));
  }, 5);
  return controller.signal;
};

describe.each(ways)('$mode over $client', (way) => {
  it.each<[string, Reply, number]>([
    ['a stream that never ends', { kind: 'hang', after: ['Hel', 'lo'] }, way.mode === 'stream' ? 2 : 0],
    ['a server that never responds', { kind: 'hang' }, 0],
  ])('is canceled by its signal and closes the request: %s', async (_, reply, deltas) => {
    const server = await startServer([reply]);
    const { status, error, events, chunks, result } = await callAgent(server, way, {
      call: { abortSignal: giveUp(() => server, deltas) },
    });
    expect([status, error, result.text]).toEqual(['canceled', undefined, '']);
    expect(await server.requests[0]?.aborted).toBe(true);
    expect(events.filter(({ type }) => type === 'run-finish')).toMatchObject([{ status: 'canceled' }]);
    if (way.mode === 'stream') expect(chunks.slice(-2).map(({ type }) => type)).toEqual(['abort', 'finish']);
  });

  it('makes no call if the signal is already aborted', async () => {
    const server = await startServer([]);
    expect(await callAgent(server, way, { call: { abortSignal: AbortSignal.abort() } })).toMatchObject({ status: 'canceled' });
    expect(server.requests).toHaveLength(0);
  });
});

describe.each(Object.keys(clients) as ClientName[])('stream over %s', (client) => {
  it('a tripwire aborts the response of the provider', async () => {
    const server = await startServer([long], { delayMs: 2 });
    const { status, text, chunks } = await callAgent(
      server,
      { client, mode: 'stream' },
      {
        outputProcessors: [
          {
            id: 'third-delta',
            processOutputStream: async ({ part, state, abort }) => {
              if (part.type === 'text-delta') state['seen'] = Number(state['seen'] ?? 0) + 1;
              return state['seen'] === 3 ? abort('That is enough.') : part;
            },
          },
        ],
      },
    );
    expect([status, text]).toEqual(['tripwire', '']);
    expect(chunks.find(({ type }) => type === 'tripwire')).toMatchObject({ payload: { reason: 'That is enough.' } });
    expect(await server.requests[0]?.aborted).toBe(true);
    expect(server.requests[0]?.written).toBeLessThan(1_000);
  });

  it('is canceled without a reader, too', async () => {
    const server = await startServer([long], { delayMs: 1 });
    const stream = await makeAgent(server, client).stream('Hello', { abortSignal: giveUp(() => server, 5) });
    await expect.poll(() => stream.status).toBe('canceled');
    expect(await server.requests[0]?.aborted).toBe(true);
  });

  it('separates concurrent runs of one agent', async () => {
    const server = await startServer(
      ({ messages }) => ({ kind: 'text', text: `You said ${messages.slice(-1).map(messageText)[0]}.`, chunks: 1 }),
      {
        cut: 'byte',
      },
    );
    const agent = makeAgent(server, client);
    const names = Array.from({ length: 8 }, (_, at) => `name ${at}`);
    const answers = await Promise.all(names.map(async (name) => (await agent.stream(name)).text));
    expect(answers).toEqual(names.map((name) => `You said ${name}.`));
  });

  it('reads no more from the provider than its reader consumes', async () => {
    const pieces = 15_000;
    const text = 'x'.repeat(1_000).concat(' ').repeat(pieces);
    const server = await startServer([{ kind: 'text', text, chunks: 1_001 }]);
    const stream = await makeAgent(server, client).stream('Hello');
    const reader = stream.fullStream.getReader();
    await expect.poll(() => server.requests[0]?.written ?? 0, { timeout: 10_000 }).toBeGreaterThan(0);
    // The kernel's buffers take several megabytes; then the server blocks.
    let before = -1;
    await expect
      .poll(
        () => {
          const written = server.requests[0]?.written ?? 0;
          const isUnchanged = written === before;
          before = written;
          return isUnchanged;
        },
        { interval: 500, timeout: 10_000 },
      )
      .toBe(true);
    expect(before).toBeLessThan(pieces * 0.8);
    expect(server.requests[0]?.state).toBe('open');
    let length = 0;
    for (let next = await reader.read(); !next.done; next = await reader.read())
      if (next.value.type === 'text-delta') length += next.value.payload.text.length;
    expect(length).toBe(text.length);
    expect(server.requests[0]?.state).toBe('finished');
    expect(stream.status).toBe('success');
  });
});
