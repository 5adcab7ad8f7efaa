import type { Processor } from '@mastra/core/processors';
import {
  generateText,
  isStepCount,
  readUIMessageStream,
  streamText,
  tool,
  ToolLoopAgent,
  type StreamTextTransform,
  type ToolSet,
} from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createGuardedRun,
  guardedToolLoop,
  guardSettings,
  isStopError,
  toStreamTransform,
  withGuards,
} from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';
import {
  carriers,
  finish,
  inV4,
  inTokens,
  nameOf,
  readable,
  rows,
  secretOf,
  type Carrier,
  type Part,
} from '../promises/field-carriers.js';
import { guardOn, runGuarded, ways } from './support.js';

/** The settings for the AI SDK's functions. */
const settingsOf = ({ parts, tool: execute }: Carrier, callbackValues: unknown[]) => {
  const ended = parts.some(({ type }) => type === 'finish') ? parts : [...parts, finish()];
  const model = scriptedModel({ specificationVersion: 'v4', steps: [{ parts: ended.map(inV4) as never }, { text: 'Done.' }] });
  const search = tool({
    description: 'Finds.',
    inputSchema: z.looseObject({}),
    execute: () => execute?.(undefined) ?? Promise.resolve('none'),
  });
  const log = (one: unknown) => void callbackValues.push(one);
  const callbacks = { onChunk: log, onStepFinish: log, onFinish: log, onError: log };
  return {
    model,
    tools: { search },
    stopWhen: isStepCount(3),
    maxRetries: 0,
    include: { rawChunks: true } as object,
    ...callbacks,
  };
};

type Settings = ReturnType<typeof settingsOf>;
type Streamed = ReturnType<typeof streamText>;
type Guards = readonly Processor[];

/** All output for readers of a stream: parts, promises, the chunks and messages of a chat, the body of a response. */
const readStream = async (given: unknown): Promise<unknown> => {
  const result = given as Streamed; // with any tools
  const sent = { sendSources: true, sendReasoning: true, onError: String };
  const parts: unknown[] = [];
  for await (const part of result.fullStream) parts.push(part);
  const chunks: unknown[] = [];
  for await (const chunk of result.toUIMessageStream(sent)) chunks.push(chunk);
  const messages: unknown[] = [];
  const messageStream = readUIMessageStream({ stream: result.toUIMessageStream(sent), onError: () => undefined });
  for await (const message of messageStream) messages.push(message);
  const body = await result.toUIMessageStreamResponse(sent).text();
  const whole = [
    'text',
    'content',
    'reasoning',
    'files',
    'sources',
    'steps',
    'responseMessages',
    'toolCalls',
    'toolResults',
  ] as const;
  const promises = await Promise.allSettled([
    ...whole.map((name) => result[name]),
    result.response,
    result.providerMetadata,
    result.finalStep,
  ]);
  return [parts, chunks, messages, body, promises];
};

const prompt = 'Hi';
const asTransform = (transform: StreamTextTransform<ToolSet>) => ({ experimental_transform: transform as never });

/** The ways into the AI SDK that judge answers. */
const hosts: Readonly<Record<string, (settings: Settings, guards: Guards, hold?: 'chunk' | 'step') => Promise<unknown>>> = {
  'withGuards, generateText': (settings, guards, hold) =>
    generateText({ ...settings, prompt, model: withGuards(settings.model, guards, optionsOf(hold)) }),
  'withGuards, streamText': (settings, guards, hold) =>
    readStream(streamText({ ...settings, prompt, model: withGuards(settings.model, guards, optionsOf(hold)) })),
  'withGuards, ToolLoopAgent.generate': (settings, guards, hold) =>
    new ToolLoopAgent({ ...settings, model: withGuards(settings.model, guards, optionsOf(hold)) }).generate({ prompt }),
  'withGuards, ToolLoopAgent.stream': async (settings, guards, hold) =>
    readStream(
      await new ToolLoopAgent({ ...settings, model: withGuards(settings.model, guards, optionsOf(hold)) }).stream({ prompt }),
    ),
  'guardSettings, generateText': async (settings, guards, hold) => {
    const run = createGuardedRun(guards, { hold });
    const result = await generateText({ ...settings, ...guardSettings(settings, run), prompt });
    await run.finish();
    return result;
  },
  'guardSettings, streamText': (settings, guards, hold) => {
    const run = createGuardedRun(guards, { hold });
    const guarded = { ...settings, ...guardSettings(settings, run), prompt };
    return readStream(streamText({ ...guarded, ...asTransform(toStreamTransform(run)) }));
  },
  'guardedToolLoop.generate': async (settings, guards, hold) =>
    guardedToolLoop({ ...settings, guards, guardOptions: { hold } }).generate({ prompt }),
  'guardedToolLoop.stream': async (settings, guards, hold) =>
    readStream(await guardedToolLoop({ ...settings, guards, guardOptions: { hold } }).stream({ prompt })),
  'toStreamTransform, streamText': (settings, guards, hold) =>
    readStream(streamText({ ...settings, prompt, ...asTransform(toStreamTransform(guards, optionsOf(hold))) })),
};

/** Hooks that a lone adapter does not call. */
const optionsOf = (hold?: 'chunk' | 'step') => ({
  hold,
  uncalled: ['toolResult', 'input', 'inputStep', 'llmRequest', 'apiError', 'llmResponse', 'outputStep', 'outputResult'] as never,
});

/** All output for an application, and the end of the run. */
const run = async (host: string, carrier: Carrier, { guards, hold }: { guards: Guards; hold?: 'chunk' | 'step' }) => {
  const callbackValues: unknown[] = [];
  const settings = settingsOf(carrier, callbackValues);
  const before = carrier.before ? [carrier.before] : [];
  const given = await hosts[host]?.(settings, [...before, ...guards], hold).catch((error: unknown) => error);
  const all = readable([callbackValues, given]);
  const isStopped = [given, ...callbackValues].some(
    (one) => isStopError(one) || isStopError((one as { error?: unknown } | null)?.error),
  );
  return { all, isStopped };
};

/** Content without a place in the AI SDK, in streams and in generated answers. */
const noPlace: readonly string[] = ['file.filename', 'data-*.data'];
const onlyInStreams = ['tool-call-delta.argsTextDelta', 'tool-call-input-streaming-start.toolName', 'raw.*', '*.*'];
const absentIn = (host: string): readonly string[] => {
  if (host.startsWith('toStreamTransform')) return ['raw.*', 'data-*.data'];
  return isStreamed(host) ? noPlace : [...noPlace, ...onlyInStreams];
};
const isStreamed = (host: string): boolean => /stream/i.test(host);

/** Content that only guarded tools have judged. */
const judgedIn = (host: string) => rows.filter((row) => !(host.startsWith('withGuards') && nameOf(row) === 'tool-error.error'));

const isIn = (all: string, secret: string): boolean =>
  all.includes(secret) || inTokens(secret).every(({ token }) => all.includes(token));

const redacting = (strategy: 'replace' | 'block') => [redactor({ strategy, kinds: ['email'] })];

describe.each(Object.keys(hosts))('P2 every field of the table: %s', (host) => {
  it('emits the value without guards', async () => {
    const lost: string[] = [];
    for (const [index, row] of rows.entries()) {
      const { all } = await run(host, carriers[nameOf(row)](secretOf(index), `p${index}`), {
        guards: [guardOn('llmRequest', () => undefined)],
      });
      if (!isIn(all, secretOf(index))) lost.push(nameOf(row));
    }
    expect(lost).toEqual(rows.map(nameOf).filter((name) => absentIn(host).includes(name)));
  });

  it.each(['chunk', 'step'] as const)('emits the value in no field, with hold %s', async (hold) => {
    const leaks: string[] = [];
    for (const [index, row] of judgedIn(host).entries()) {
      const carrier = carriers[nameOf(row)](secretOf(index), `p${index}`);
      const { all } = await run(host, carrier, { guards: redacting('replace'), hold });
      if (isIn(all, secretOf(index))) leaks.push(nameOf(row));
    }
    expect(leaks).toEqual([]);
  });

  it('stops the run if the guard blocks', async () => {
    const passes: string[] = [];
    for (const [index, row] of judgedIn(host).entries()) {
      const carrier = carriers[nameOf(row)](secretOf(index), `p${index}`);
      const { all, isStopped } = await run(host, carrier, { guards: redacting('block') });
      if (all.includes(secretOf(index))) passes.push(`${nameOf(row)} is emitted`);
      const isVisible = row.rule !== 'dropped' && !absentIn(host).includes(nameOf(row));
      if (!isStopped && isVisible) passes.push(`${nameOf(row)} continues`);
    }
    expect(passes).toEqual([]);
  });
});

describe('P2 fields outside the table', () => {
  const secret = secretOf(0);
  const guards = redacting('replace');
  const model = (parts: readonly Part[]) => scriptedModel({ specificationVersion: 'v4', steps: [{ parts: parts as never }] });
  const text = (delta: string): Part[] => [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta },
    { type: 'text-end', id: 't' },
  ];

  it('emits the response body only if the response and the body are clean', async () => {
    const answering = (body: string) => {
      const inner = model([...text('Hello.'), finish()]);
      const doGenerate = async (options: never) => ({ ...(await inner.doGenerate(options)), response: { body: { said: body } } });
      return withGuards({ ...inner, doGenerate }, guards, optionsOf());
    };
    const ask = async (body: string) =>
      (await generateText({ model: answering(body), prompt, include: { responseBody: true } })).response.body;
    expect(await ask('Hello.')).toEqual({ said: 'Hello.' });
    expect(await ask(`Hello, ${secret}`)).toBeUndefined();
  });

  it('emits raw chunks only if the response and the joined chunks are clean', async () => {
    const ask = async (...body: string[]) => {
      const raws = body.map((rawValue) => ({ type: 'raw', rawValue }));
      const guarded = withGuards(model([...raws, ...text('Hello.'), finish()]), guards, optionsOf());
      const emitted: unknown[] = [];
      const result = streamText({ model: guarded, prompt, include: { rawChunks: true } });
      for await (const part of result.fullStream) if (part.type === 'raw') emitted.push(part.rawValue);
      return emitted;
    };
    expect(await ask('Hel', 'lo.')).toEqual(['Hel', 'lo.']);
    expect(await ask('Hello.', secret)).toEqual([]);
    expect(await ask(secret.slice(0, 9), secret.slice(9))).toEqual([]);
  });

  it('emits raw chunks immediately if no guard judges responses', async () => {
    const inner = model([{ type: 'raw', rawValue: secret }, ...text('Hello.'), finish()]);
    const guarded = withGuards(inner, [guardOn('llmRequest', () => undefined)]);
    const types: string[] = [];
    for await (const { type } of streamText({ model: guarded, prompt, include: { rawChunks: true } }).fullStream)
      types.push(type);
    expect(types.indexOf('raw')).toBeLessThan(types.indexOf('text-delta'));
    expect(types).toContain('raw');
  });

  it('redacts the fields of a tool error with a clean message', async () => {
    const parts = [{ type: 'tool-call', toolCallId: 'c', toolName: 'search', input: '{}' }, finish()] as const;
    const runFailing = (fields: object) => {
      const carrier: Carrier = { parts, tool: () => Promise.reject(Object.assign(new Error('Failed.'), fields)) };
      return run('guardedToolLoop.stream', carrier, { guards });
    };
    expect((await runFailing({ asked: secret })).all).not.toContain(secret);
    expect((await runFailing({ cause: new Error(secret) })).all).not.toContain(secret);
    expect((await runFailing({ code: 'E_FAILED' })).all).toContain('E_FAILED');
  });

  it.each(Object.keys(hosts))('removes metadata that quotes a word removed by a guard without a pattern: %s', async (host) => {
    const censoring: Processor = {
      id: 'censor',
      processOutputStream: async ({ part }) =>
        part.type === 'text-delta'
          ? { ...part, payload: { ...part.payload, text: part.payload.text.replace('swordfish', '…') } }
          : part,
    };
    const providerMetadata = { openai: { logprobs: ['swo', 'rdf', 'ish'].map((token) => ({ token })), itemId: 'item-1' } };
    const [start, delta, end] = text('Say swordfish.') as [Part, Part, Part];
    const parts = [start, delta, { ...end, providerMetadata }, { ...finish(), providerMetadata }];
    const { all } = await run(host, { parts }, { guards: [censoring] });
    expect(all).toContain('Say ….');
    expect(all).toContain('item-1');
    expect(all).not.toMatch(/swordfish|rdf/);
  });

  it('redacts a class instance returned by a tool', async () => {
    class Customer {
      readonly mail: string;
      constructor(mail: string) {
        this.mail = mail;
      }
    }
    const parts = [{ type: 'tool-call', toolCallId: 'c', toolName: 'search', input: '{}' }, finish()] as const;
    const returning = () => Promise.resolve(new Customer(secret));
    for (const host of ['guardedToolLoop.generate', 'guardedToolLoop.stream', 'toStreamTransform, streamText']) {
      const { all } = await run(host, { parts, tool: returning }, { guards });
      expect(all, host).not.toContain(secret);
      expect(all, host).toContain('[EMAIL]');
    }
  });
});

it.each(ways)('P2 a value split over two steps: the second piece is not emitted, also in another attempt, %s', async (way) => {
  const model = scriptedModel({
    specificationVersion: 'v4',
    steps: [
      { text: 'Ask mara.quill@exa', toolCalls: [{ name: 'charge', args: { amount: 1 } }] },
      { reasoning: 'Or lee@example.com?', text: 'mple.com? WRONG' },
      { reasoning: 'Or lee@example.com?', text: 'mple.com now.' },
    ],
  });
  const again = guardOn('outputStep', ({ text = '', messages, abort }) =>
    text.includes('WRONG') ? abort('Again.', { retry: true }) : messages,
  );
  const guards = [redactor({ strategy: 'replace', kinds: ['email'] }), again];
  const ran = await runGuarded(way, { model, guards, guardOptions: { maxProcessorRetries: 1 } });
  expect(ran.error).toBeUndefined();
  expect(JSON.stringify([ran.result, ran.parts, ran.callbackTexts])).not.toContain('mple.com');
  expect(ran.result?.text).toBe('[EMAIL] now.');
});
