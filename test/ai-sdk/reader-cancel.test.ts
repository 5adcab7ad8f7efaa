import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { streamText, tool } from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import {
  createGuardedRun,
  guardedToolLoop,
  guardSettings,
  toStreamTransform,
  withGuards,
  type GuardedRunEvent,
  type GuardOptions,
} from '../../src/ai-sdk/index.js';
import { scriptedModel, type ScriptedModel } from '../../src/testing/index.js';
import { guardOn } from './support.js';

type Result = Pick<
  ReturnType<typeof streamText>,
  'fullStream' | 'textStream' | 'text' | 'toUIMessageStreamResponse' | 'pipeUIMessageStreamToResponse'
>;

/** The outcome of a run: callbacks of the AI SDK, and signals for the provider. */
interface Ran {
  readonly ends: string[];
  readonly events: GuardedRunEvent[];
  readonly charged: string[];
  readonly model: ScriptedModel<'v4'>;
}

const words = Array.from({ length: 200 }, (_, at) => `word${at} `);
const charges = { text: words, toolCalls: [{ name: 'charge', args: {} }] };
const guards = [guardOn('outputStream', () => undefined)];

const prepare = (onReaderCancel: GuardOptions['onReaderCancel']) => {
  const ran: Ran = {
    ends: [],
    events: [],
    charged: [],
    model: scriptedModel({ specificationVersion: 'v4', steps: [charges, { text: 'Done.' }] }),
  };
  const charge = tool({ inputSchema: z.object({}), execute: async () => void ran.charged.push('charge') });
  const end = (reason: string) => () => void ran.ends.push(reason);
  const callbacks = { onAbort: end('abort'), onEnd: end('end'), onError: end('error') };
  const options: GuardOptions = { window: 'delta', onReaderCancel, onEvent: (event) => void ran.events.push(event) };
  return { ran, options, callbacks, settings: { model: ran.model, tools: { charge } } };
};

type Start = (prepared: ReturnType<typeof prepare>) => Promise<Result>;

const hosts: Record<string, Start> = {
  'guardedToolLoop, stream': async ({ options, callbacks, settings }) =>
    guardedToolLoop({ ...settings, guards, guardOptions: options }).stream({ prompt: 'Hi', ...callbacks }),
  'streamText with a shared run': async ({ options, callbacks, settings }) => {
    const run = createGuardedRun(guards, options);
    const guarded = guardSettings(settings, run);
    const stopWhen = ({ steps }: { steps: readonly unknown[] }) => steps.length === 2;
    const transform = { experimental_transform: toStreamTransform(run) } as object;
    return run.watch(streamText({ ...settings, ...guarded, ...transform, ...callbacks, stopWhen, prompt: 'Hi' }));
  },
};

/** Reads until words of the answer arrive. */
const readWords = async (stream: ReadableStream<unknown> | null): Promise<ReadableStreamDefaultReader<unknown>> => {
  if (!stream) throw new Error('no stream to read');
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const { value } = next;
    const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : JSON.stringify(value);
    if (text.includes('text-delta')) break;
  }
  return reader;
};

const until = (fits: () => boolean): Promise<unknown> => vi.waitUntil(fits, { timeout: 10_000 });

const readings: Record<string, (result: Result) => Promise<void>> = {
  'cancels its reader': async ({ fullStream }) => (await readWords(fullStream)).cancel(),
  'breaks out of the loop': async ({ textStream }) => {
    for await (const text of textStream) if (text) break;
  },
  'cancels the body of a response': async (result) => (await readWords(result.toUIMessageStreamResponse().body)).cancel(),
  'disconnects over HTTP': async (result) => {
    const { body } = result.toUIMessageStreamResponse();
    const server = createServer((_request, response) => {
      const reader = body?.getReader();
      response.on('close', () => void reader?.cancel());
      const pass = async (): Promise<void> => {
        const next = await reader?.read();
        if (!next || next.done) return;
        response.write(next.value);
        if (!new TextDecoder().decode(next.value).includes('text-delta')) await pass(); // no further: the client leaves in the middle
      };
      void pass();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo; // it listens on a port
    await (await readWords((await fetch(`http://127.0.0.1:${port}`)).body)).cancel();
  },
};

const cases = Object.entries(hosts).flatMap(([host, start]) =>
  Object.entries(readings).map(([how, leave]) => ({ host, how, start, leave })),
);

describe.each(cases)('$host: a reader that $how', ({ start, leave }) => {
  it("ends the run like an abort: 'stop'", async () => {
    const prepared = prepare('stop');
    const result = await start(prepared);
    await leave(result);
    const { ends, events, charged, model } = prepared.ran;
    await until(() => events.some(({ type }) => type === 'reader-cancel'));
    await expect(result.text).rejects.toMatchObject({ name: 'AbortError' });
    expect(ends).not.toContain('end');
    expect(ends).not.toContain('error');
    expect(events.filter(({ type }) => type === 'reader-cancel')).toMatchObject([{ then: 'stop' }]);
    expect(charged).toEqual([]);
    expect(model.calls).toHaveLength(1);
    expect(model.calls[0]?.options.abortSignal?.aborted).toBe(true);
  });

  it("lets the run finish: 'finish'", async () => {
    const prepared = prepare('finish');
    await leave(await start(prepared));
    const { ends, events, charged, model } = prepared.ran;
    await until(() => ends.length > 0);
    expect(ends).toEqual(['end']);
    expect(events.filter(({ type }) => type === 'reader-cancel')).toMatchObject([{ then: 'finish' }]);
    expect(charged).toEqual(['charge']);
    expect(model.calls).toHaveLength(2);
  });

  it('leaves the run to the AI SDK by default: it continues if its result is read', async () => {
    const prepared = prepare(undefined);
    const result = await start(prepared);
    await leave(result);
    expect(await result.text).toBe('Done.');
    expect(prepared.ran.events.filter(({ type }) => type === 'reader-cancel')).toEqual([]);
    expect(prepared.ran.ends).toEqual(['end']);
  });
});

describe.each(Object.entries(hosts))('%s', (_host, start) => {
  it('continues while its result is awaited or has another reader', async () => {
    const awaited = await start(prepare('stop'));
    const text = awaited.text;
    for await (const part of awaited.fullStream) if (part.type === 'text-delta') break;
    expect(await text).toBe('Done.');
    const prepared = prepare('stop');
    const other = await start(prepared);
    const reader = other.fullStream.getReader();
    await reader.read();
    for await (const part of other.fullStream) if (part.type === 'text-delta') break;
    while (!(await reader.read()).done);
    expect(prepared.ran.ends).toEqual(['end']);
  });
});

describe('onReaderCancel', () => {
  it('is rejected if it is invalid or if a single adapter cannot detect readers', () => {
    const invalid = expect.objectContaining({ code: 'ai-sdk/invalid-option', path: 'onReaderCancel' }) as Error;
    expect(() => createGuardedRun(guards, { onReaderCancel: 'end' as never })).toThrow(invalid);
    expect(() => withGuards(scriptedModel({ steps: [] }) as never, guards, { onReaderCancel: 'stop' })).toThrow(invalid);
  });
});
