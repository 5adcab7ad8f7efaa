import { setTimeout as sleep } from 'node:timers/promises';
import type { Processor } from '@mastra/core/processors';
import { generateText, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createGuardedRun,
  guardTools,
  toPrepareStep,
  toStreamTransform,
  withGuards,
  type GuardOptions,
} from '../../src/ai-sdk/index.js';
import { pipeline } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import type { SpecVersion } from '../../src/testing/scripted-parts.js';
import { promptInjectionGuard, redactor } from '../../workflows/guards/index.js';
import { createTools, guardOn, type Chunk, type HookArgs } from './support.js';

const modes = ['generate', 'stream'] as const;
type Mode = (typeof modes)[number];
type Model = Parameters<typeof withGuards>[0];

/** One call through the AI SDK's own functions: text, reasoning and parts. */
const ask = async (mode: Mode, model: Model, prompt = 'Hello') => {
  if (mode === 'generate') {
    const { text, reasoningText, toolCalls, finishReason, usage, response } = await generateText({
      model,
      prompt,
      maxRetries: 0,
    });
    return { text, reasoningText, toolCalls, finishReason, usage, response, types: [] as string[] };
  }
  const result = streamText({ model, prompt, maxRetries: 0, onError: () => undefined });
  const types: string[] = [];
  for await (const { type } of result.fullStream) types.push(type);
  const [text, reasoningText, toolCalls] = await Promise.all([result.text, result.reasoningText, result.toolCalls]);
  const [finishReason, usage, response] = await Promise.all([result.finishReason, result.usage, result.response]);
  return { text, reasoningText, toolCalls, finishReason, usage, response, types };
};

/** A stream guard over the content of a chunk. */
const onChunks = (type: string, act: (payload: Record<string, unknown>) => unknown, id = 'chunks'): Processor => ({
  id,
  processOutputStream: (async ({ part }: { part: Chunk }) =>
    part.type === type ? act(part.payload as Record<string, unknown>) : part) as unknown as Processor['processOutputStream'],
});

const answer = { reasoning: ['I think ', 'so.'], text: ['One ', 'two ', 'three.'] };

describe.each(modes)('a guarded model, %s', (mode) => {
  it.each<SpecVersion>(['v2', 'v3', 'v4'])(
    'of specification %s returns the same as without guards',
    async (specificationVersion) => {
      const model = () => scriptedModel({ specificationVersion, steps: [answer] }) as Model;
      const plain = await ask(mode, model());
      const guarded = await ask(mode, withGuards(model(), [guardOn('outputStep', () => undefined)]));
      expect(guarded).toMatchObject({ text: 'One two three.', reasoningText: 'I think so.', finishReason: 'stop' });
      expect(guarded.usage).toEqual(plain.usage);
      expect(guarded.types).toEqual(plain.types);
      expect(guarded.response.modelId).toBe(plain.response.modelId);
    },
  );

  it('keeps its model id, provider and specification version', () => {
    const model = scriptedModel({ specificationVersion: 'v4', steps: [answer] });
    const guarded = withGuards(model, [guardOn('input', () => undefined)]);
    expect(guarded).toMatchObject({ modelId: model.modelId, provider: model.provider, specificationVersion: 'v4' });
  });

  it('emits text as a stream guard rewrote it, in place or in a new chunk', async () => {
    const inPlace = onChunks('text-delta', (payload) => {
      payload['text'] = String(payload['text']).replace('two', '2');
      return { type: 'text-delta', payload };
    });
    const anew = onChunks(
      'reasoning-delta',
      (payload) => ({
        type: 'reasoning-delta',
        payload: { ...payload, text: String(payload['text']).replace('think', 'guess') },
      }),
      'anew',
    );
    const guarded = await ask(mode, withGuards(scriptedModel({ specificationVersion: 'v4', steps: [answer] }), [inPlace, anew]));
    expect(guarded).toMatchObject({ text: 'One 2 three.', reasoningText: 'I guess so.' });
  });

  it('emits a chunk that a guard changed in place and returned', async () => {
    const guard: Processor = {
      id: 'same',
      processOutputStream: (({ part }: { part: Chunk }) => {
        if (part.type === 'text-delta') (part.payload as { text: string }).text = 'x';
        return part;
      }) as unknown as Processor['processOutputStream'],
    };
    const { text } = await ask(
      mode,
      withGuards(scriptedModel({ specificationVersion: 'v4', steps: [{ text: ['a', 'b'] }] }), [guard]),
    );
    expect(text).toMatch(/^x+$/u);
  });

  it('completes parts with a dropped start and parts created by a guard', async () => {
    const drop = onChunks('text-start', () => null, 'drop');
    const late = onChunks('finish', () => ({ type: 'text-delta', payload: { id: 'late', text: ' Late.' } }), 'late');
    const guarded = await ask(mode, withGuards(scriptedModel({ specificationVersion: 'v4', steps: [answer] }), [drop, late]));
    expect(guarded.text).toBe(mode === 'generate' ? 'One two three. Late.' : 'One two three. Late.');
    expect(guarded.finishReason).toBe('stop');
  });

  it('replays a cached response through the output guards without a model call', async () => {
    const seen: unknown[] = [];
    const chunks = [
      { type: 'text-start', payload: { id: '1' } },
      { type: 'text-delta', payload: { id: '1', text: 'From two caches.' } },
      { type: 'text-end', payload: { id: '1' } },
      { type: 'finish', payload: { stepResult: { reason: 'stop' }, output: { usage: { inputTokens: 1, outputTokens: 2 } } } },
    ];
    const cache = {
      id: 'cache',
      processLLMRequest: () => ({ response: { chunks } }),
      processLLMResponse: ({ fromCache, chunks: given }: { fromCache: boolean; chunks: unknown[] }) =>
        void seen.push(fromCache, given.length),
    } as unknown as Processor;
    const shout = onChunks('text-delta', (payload) => ({
      type: 'text-delta',
      payload: { ...payload, text: String(payload['text']).replace('two', '2') },
    }));
    const model = scriptedModel({ specificationVersion: 'v4', steps: [] });
    const guarded = await ask(mode, withGuards(model, [cache, shout]));
    expect(guarded).toMatchObject({ text: 'From 2 caches.', finishReason: 'stop', usage: { inputTokens: 1, outputTokens: 2 } });
    expect(model.calls).toEqual([]);
    expect(seen).toEqual([true, 4]);
  });

  it('sends the prompt that a guard rewrote', async () => {
    const model = scriptedModel({ specificationVersion: 'v4', steps: [answer] });
    const rewrite: Processor = {
      id: 'rewrite',
      processLLMRequest: ({ prompt }) => ({ prompt: [{ role: 'system', content: 'Be kind.' }, ...prompt] as typeof prompt }),
    };
    await ask(mode, withGuards(model, [rewrite]));
    expect(model.calls[0]?.prompt.map(({ role }) => role)).toEqual(['system', 'user']);
  });

  it('sends files unchanged, also next to edited text', async () => {
    const model = scriptedModel({ specificationVersion: 'v4', steps: [answer, answer] });
    const redact = guardOn('input', ({ messages }) => {
      for (const { content } of messages ?? []) for (const part of content.parts) if (part.text) part.text = '***';
    });
    const content = [
      { type: 'text' as const, text: 'Look:' },
      { type: 'file' as const, mediaType: 'image/png', data: new Uint8Array([1, 2, 3]) },
    ];
    await generateText({ model, messages: [{ role: 'user', content }] });
    await generateText({ model: withGuards(model, [redact]), messages: [{ role: 'user', content }] });
    const [plain, guarded] = model.calls.map(({ prompt }) => prompt[0]?.content as { type: string; text?: string }[]);
    expect(guarded?.[0]?.text).toBe('***');
    expect(guarded?.[1]).toEqual(plain?.[1]);
  });

  it.each([new Uint8Array([1, 2, 3]), 'AQID'])('keeps a file of an answer whose text a guard edits: %s', async (data) => {
    const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data } };
    const finish = { finishReason: { unified: 'stop' }, usage: { inputTokens: {}, outputTokens: {} } };
    const text = ['text-start', 'text-delta', 'text-end'].map((type) => ({ type, id: '1', delta: 'One.' }));
    const parts = [{ type: 'stream-start', warnings: [] }, file, ...text, { type: 'finish', ...finish }];
    const provider = {
      ...scriptedModel({ specificationVersion: 'v4', steps: [] }),
      doStream: async () => ({
        stream: new ReadableStream({ start: (c) => (parts.forEach((part) => c.enqueue(part)), c.close()) }),
      }),
      doGenerate: async () => ({ content: [file, { type: 'text', text: 'One.' }], ...finish, warnings: [] }),
    } as unknown as Model;
    const shout: Processor = {
      id: 'shout',
      processOutputStep: ({ messages }) => {
        const copies = structuredClone(messages);
        for (const { content } of copies) for (const part of content.parts) if (part.type === 'text') part.text = '***';
        return copies;
      },
    };
    const settings = { model: withGuards(provider, [shout]), prompt: 'Hello' };
    const result = mode === 'generate' ? await generateText(settings) : streamText(settings);
    expect(await result.text).toBe('***');
    expect((await result.files).map(({ base64 }) => base64)).toEqual(['AQID']);
  });

  it('adds and removes messages as guards request', async () => {
    const model = scriptedModel({ specificationVersion: 'v4', steps: [answer] });
    const replace: Processor = {
      id: 'replace',
      processInput: ({ messages }) => [...messages.slice(1), { role: 'user', content: 'Added.' } as never],
    };
    await ask(mode, withGuards(model, [replace]));
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('Added.');
    expect(JSON.stringify(model.calls[0]?.prompt)).not.toContain('Hello');
  });

  it('judges results of provider-executed tools before they are visible', async () => {
    const parts = [
      { type: 'stream-start', warnings: [] },
      { type: 'tool-call', toolCallId: 'p1', toolName: 'search', input: '{"q":"x"}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'p1', toolName: 'search', result: { hit: 'ZEBRA' } },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Found.' },
      { type: 'text-end', id: '1' },
      { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: { inputTokens: {}, outputTokens: {} } },
    ];
    const content = parts.filter(({ type }) => type === 'tool-call' || type === 'tool-result');
    const provider = {
      ...scriptedModel({ specificationVersion: 'v4', steps: [] }),
      doStream: async () => ({
        stream: new ReadableStream({ start: (c) => (parts.forEach((part) => c.enqueue(part)), c.close()) }),
      }),
      doGenerate: async () => ({
        content: [...content, { type: 'text', text: 'Found.' }],
        finishReason: { unified: 'stop' },
        usage: { inputTokens: {}, outputTokens: {} },
        warnings: [],
      }),
    } as unknown as Model;
    const redact: Processor = {
      id: 'redact',
      processToolResult: ({ messages, result, providerExecuted }) => {
        expect([result, providerExecuted]).toEqual([{ hit: 'ZEBRA' }, true]);
        return JSON.parse(JSON.stringify(messages).replaceAll('ZEBRA', '***')) as typeof messages;
      },
    };
    const run = createGuardedRun([redact]);
    const model = withGuards(provider, run);
    guardTools({}, run);
    const result = mode === 'generate' ? await model.doGenerate({ prompt: [] }) : await model.doStream({ prompt: [] });
    const seen: unknown[] = 'stream' in result ? [] : result.content;
    if ('stream' in result) for await (const part of result.stream) seen.push(part);
    expect(JSON.stringify(seen)).toContain('***');
    expect(JSON.stringify(seen)).not.toContain('ZEBRA');
  });

  it('emits no removed text in the raw body and raw chunks', async () => {
    const raw = { ZEBRA: true };
    const inner = scriptedModel({ specificationVersion: 'v4', steps: [answer, answer] });
    const rawChunkOptions: unknown[] = [];
    const provider = {
      ...inner,
      doGenerate: async (options: never) => ({ ...(await inner.doGenerate(options)), response: { id: 'r1', body: raw } }),
      doStream: async (options: { includeRawChunks?: boolean }) => {
        rawChunkOptions.push(options.includeRawChunks);
        const { stream } = await inner.doStream(options as never);
        const withRaw = new TransformStream({ start: (controller) => controller.enqueue({ type: 'raw', rawValue: raw }) });
        return { stream: (stream as ReadableStream).pipeThrough(withRaw), response: { body: raw } };
      },
    } as unknown as Model;
    const edit = ({ part }: HookArgs) => ({ type: 'text-delta', payload: { ...(part?.payload as object), text: '***' } });
    const guarded = withGuards(provider, [guardOn('outputStream', edit)]);
    const options = { prompt: [], includeRawChunks: true };
    const { stream: parts, ...rest } =
      mode === 'stream' ? await guarded.doStream(options) : { stream: undefined, ...(await guarded.doGenerate(options)) };
    const seen: unknown[] = [rest];
    if (parts) for await (const part of parts) seen.push(part);
    expect(JSON.stringify(seen)).not.toContain('ZEBRA');
    expect(rawChunkOptions).toEqual(mode === 'stream' ? [true] : []);
  });
});

describe('a guarded stream', () => {
  it('emits chunk by chunk with stream guards only, and buffers with guards of whole responses', async () => {
    const arrivals = async (guards: Processor[]) => {
      const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text: ['a', 'b', 'c'], delayMs: 1 }] });
      const { stream } = await withGuards(model, guards, { window: 'delta' }).doStream({ prompt: [] });
      const pulledAt: number[] = [];
      for await (const part of stream) if (part.type === 'text-delta') pulledAt.push(model.pulled);
      return pulledAt;
    };
    const flowing = await arrivals([guardOn('outputStream', () => undefined)]);
    expect(new Set(flowing).size).toBe(3);
    const held = await arrivals([guardOn('outputStep', () => undefined)]);
    expect(new Set(held).size).toBe(1);
  });

  it('reads from the provider only as much as its reader reads', async () => {
    const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text: Array.from({ length: 500 }, () => 'x') }] });
    const { stream } = await withGuards(model, [guardOn('outputStream', () => undefined)], { window: 'delta' }).doStream({
      prompt: [],
    });
    const reader = stream.getReader();
    for (let count = 0; count < 5; count += 1) await reader.read();
    await sleep(20);
    expect(model.pulled).toBeLessThan(12);
    await reader.cancel();
  });

  it('cancels the call if its reader is canceled while the provider is silent', async () => {
    const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text: ['a'], hang: true }] });
    const rawChunkOptions: unknown[] = [];
    const listening: Processor = { id: 'listening', processAPIError: ({ error }) => void rawChunkOptions.push(error) };
    const { stream } = await withGuards(model, [guardOn('outputStream', () => undefined), listening]).doStream({ prompt: [] });
    const reader = stream.getReader();
    const silence = sleep(50).then(() => 'silent' as const);
    let pending = reader.read();
    while ((await Promise.race([pending, silence])) !== 'silent') pending = reader.read();
    await sleep(10);
    await reader.cancel('gone');
    await pending;
    await sleep(10);
    expect(model.calls[0]?.aborted || model.cancelled).toBe(true);
    expect(rawChunkOptions).toEqual([]);
  });
});

describe('one run', () => {
  it('shares one state per processor across all hooks and adapters', async () => {
    const states = new Set<unknown>();
    const note = ({ state }: { state?: unknown }) => void states.add(state);
    const hooks = {
      id: 'everywhere',
      processInput: note,
      processInputStep: note,
      processLLMRequest: note,
      processOutputStream: ({ part, state }: { part: unknown; state: unknown }) => (states.add(state), part),
      processLLMResponse: note,
      processOutputStep: note,
      processToolResult: note,
      processOutputResult: note,
    } as unknown as Processor;
    const other = guardOn('input', ({ state }) => void states.add(state), { id: 'other' });
    const run = createGuardedRun([hooks, other]);
    const model = scriptedModel({
      specificationVersion: 'v4',
      steps: [{ toolCalls: [{ name: 'charge', args: { amount: 1 } }] }, { text: 'Done.' }],
    });
    const log: string[] = [];
    await generateText({
      model: withGuards(model, run),
      tools: guardTools(createTools(log), run),
      prepareStep: toPrepareStep(run) as never,
      stopWhen: ({ steps }) => steps.length > 2,
      prompt: 'Hi',
    });
    await run.finish();
    expect(log).toEqual(['charge 1']);
    expect(states.size).toBe(2);
  });

  it('counts its steps, with and without prepareStep', async () => {
    for (const withPrepare of [true, false]) {
      const seen: unknown[] = [];
      const run = createGuardedRun([
        guardOn('outputStep', ({ stepNumber }) => void seen.push(stepNumber)),
        guardOn('toolResult', ({ stepNumber }) => void seen.push(stepNumber)),
      ]);
      const model = scriptedModel({
        specificationVersion: 'v4',
        steps: [{ toolCalls: [{ name: 'charge', args: { amount: 1 } }] }, { text: 'Done.' }],
      });
      await generateText({
        model: withGuards(model, run),
        tools: guardTools(createTools([]), run),
        ...(withPrepare && { prepareStep: toPrepareStep(run) as never }),
        stopWhen: ({ steps }) => steps.length > 2,
        prompt: 'Hi',
      });
      expect(seen).toEqual([0, 0, 1]);
    }
  });
});

describe('adapters reject unsupported hooks', () => {
  const deep = pipeline('house').then(guardOn('toolResult', () => undefined, { id: 'deep' }));
  const toolResult = [guardOn('toolResult', () => undefined, { id: 'results' })];
  const stream = [guardOn('outputStream', () => undefined, { id: 'stream' })];
  const model = scriptedModel({ specificationVersion: 'v4', steps: [] });

  it.each<[string, () => unknown, string]>([
    ['toPrepareStep, in a pipeline', () => toPrepareStep(deep), 'house/deep processToolResult'],
    ['toPrepareStep', () => toPrepareStep(stream), 'processors/stream processOutputStream'],
    ['guardTools', () => guardTools({}, stream), 'processors/stream processOutputStream'],
    ['toStreamTransform', () => toStreamTransform(toolResult), 'processors/results processToolResult'],
    [
      'guardTools, with a provider-executed tool',
      () => guardTools({ search: { type: 'provider', isProviderExecuted: true } as never }, toolResult),
      'tools.search',
    ],
  ])('%s', (_, make, path) => {
    expect(make).toThrow(expect.objectContaining({ code: 'ai-sdk/hook-not-called', path }));
  });

  it('a shared run rejects a hook that no adapter calls, before the model call', async () => {
    const run = createGuardedRun([guardOn('outputStep', () => undefined, { id: 'deep' }), guardOn('input', () => undefined)]);
    const calls = scriptedModel({ specificationVersion: 'v4', steps: [{ text: 'Hi.' }] });
    const failed = generateText({ model: calls, prepareStep: toPrepareStep(run), prompt: 'Hello' });
    await expect(failed).rejects.toMatchObject({ code: 'ai-sdk/hook-not-called', path: 'processors/deep processOutputStep' });
    expect(calls.calls).toEqual([]);
  });

  describe.each(['pipeline', 'shared run'] as const)('a hook for results of tools, %s', (way) => {
    const builtIn = [promptInjectionGuard(), redactor({ strategy: 'replace', kinds: ['email'] })];
    const guarded = (inner: Model, options?: GuardOptions) =>
      way === 'pipeline' ? withGuards(inner, builtIn, options) : withGuards(inner, createGuardedRun(builtIn, options));
    const answering = () => scriptedModel({ specificationVersion: 'v4', steps: [{ text: 'Ask ann@example.com.' }] });
    const tools = { charge: tool({ inputSchema: z.object({}), execute: () => 'done' }) };

    it.each(['generateText', 'streamText'] as const)('is no error in a call without tools, %s', async (call) => {
      const settings = { model: guarded(answering()), prompt: 'Hi' };
      const { text } = call === 'generateText' ? await generateText(settings) : streamText(settings);
      expect(await text).toBe('Ask [EMAIL].');
    });

    it.each(['generateText', 'streamText'] as const)('fails a call with tools, whose error has the remedy, %s', async (call) => {
      const calls = answering();
      const run = async (options?: GuardOptions): Promise<string> => {
        const settings = { model: guarded(calls, options), tools, prompt: 'Hi', onError: () => undefined };
        if (call === 'generateText') return (await generateText(settings)).text;
        let text = '';
        for await (const part of streamText(settings).stream) {
          if (part.type === 'error') throw part.error;
          if (part.type === 'text-delta') text += part.text;
        }
        return text;
      };
      await expect(run()).rejects.toThrow(
        "[ai-sdk/hook-not-called] at processors/prompt-injection processToolResult: withGuards does not call it, guardTools would, and { uncalled: ['toolResult'] } accepts that",
      );
      expect(calls.calls).toEqual([]);
      expect(await run({ uncalled: ['toolResult'] })).toBe('Ask [EMAIL].');
    });
  });

  it('rejects options next to a shared run', () => {
    const run = createGuardedRun(stream);
    expect(() => withGuards(model, run, { maxProcessorRetries: 1 })).toThrow(
      expect.objectContaining({ code: 'ai-sdk/invalid-option', path: 'withGuards' }),
    );
  });

  it('accepts a hook that another adapter of the same run calls', async () => {
    const run = createGuardedRun(toolResult);
    guardTools({}, run);
    const { text } = await generateText({
      model: withGuards(scriptedModel({ specificationVersion: 'v4', steps: [{ text: 'Hi.' }] }), run),
      prompt: 'Hello',
    });
    expect(text).toBe('Hi.');
  });
});

describe('toStreamTransform alone', () => {
  const run = async (
    guards: Processor[],
    steps: Parameters<typeof scriptedModel>[0]['steps'] = [{ text: ['One ', 'two ', 'three.'] }],
  ) => {
    const result = streamText({
      model: scriptedModel({ steps }) as Model,
      prompt: 'Hello',
      experimental_transform: toStreamTransform(guards) as never,
      onError: () => undefined,
    });
    const parts: { type: string; text?: string; error?: unknown }[] = [];
    for await (const part of result.fullStream) parts.push(part);
    const text = await Promise.resolve(result.text).catch((error: unknown) => error);
    return { parts, text };
  };

  it('redacts the stream and the result alike', async () => {
    const guard = onChunks('text-delta', (payload) => ({
      type: 'text-delta',
      payload: { ...payload, text: String(payload['text']).replace('two', '2') },
    }));
    const { parts, text } = await run([guard]);
    expect(text).toBe('One 2 three.');
    expect(parts.map(({ text: words = '' }) => words).join('')).toBe('One 2 three.');
  });

  it('ends with the error of a trip, without unapproved text', async () => {
    const guard = guardOn('outputStream', ({ abort }) => abort('no'), {
      when: ({ part }) => JSON.stringify(part).includes('two'),
    });
    const { parts, text } = await run([guard]);
    expect(parts.at(-1)).toMatchObject({ type: 'error', error: { name: 'TripwireError', reason: 'no' } });
    expect(JSON.stringify(parts)).not.toContain('two');
    expect(text).toMatchObject({ name: 'TripwireError' });
  });

  it('fails closed', async () => {
    const { parts, text } = await run([guardOn('outputStream', () => Promise.reject(new Error('broken')))]);
    expect(parts.at(-1)).toMatchObject({ type: 'error', error: { name: 'GuardUnavailableError' } });
    expect(text).toMatchObject({ name: 'GuardUnavailableError' });
  });
});
