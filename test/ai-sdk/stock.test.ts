import type { Processor } from '@mastra/core/processors';
import { generateText, isStepCount, streamText, tool, type LanguageModel, type ModelMessage, type ToolSet } from 'ai';
import { MockLanguageModelV4, convertArrayToReadableStream, simulateReadableStream } from 'ai/test';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { requireApproval } from '../../workflows/guards/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import {
  createGuardedRun,
  guardedToolLoop,
  guardSettings,
  toPrepareStep,
  toStreamTransform,
  withGuards,
} from '../../src/ai-sdk/index.js';

// The effects that passing guards must not have: the AI SDK's own result is the expected one.

type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

const passing: Processor = {
  id: 'passing',
  processInput: ({ messages }) => messages,
  processOutputStream: async ({ part }) => part,
  processLLMResponse: () => undefined,
  processOutputStep: ({ messages }) => messages,
  processOutputResult: ({ messages }) => messages,
  processToolResult: () => undefined,
};

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 10, text: 10, reasoning: undefined },
};
const finish = (unified: 'stop' | 'tool-calls' | 'error' = 'stop'): StreamPart => ({
  type: 'finish',
  finishReason: { unified, raw: unified },
  usage,
});
const words = (text: string, id = '1'): StreamPart[] => [
  { type: 'text-start', id },
  { type: 'text-delta', id, delta: text },
  { type: 'text-end', id },
];

/** A model that streams these parts, a list for each call. */
const streaming = (...answers: readonly StreamPart[][]): MockLanguageModelV4 => {
  let count = 0;
  return new MockLanguageModelV4({
    doStream: async () => ({ stream: convertArrayToReadableStream(answers[Math.min(count++, answers.length - 1)] ?? []) }),
  });
};

const broken = () =>
  new MockLanguageModelV4({
    doStream: async () => ({
      stream: new ReadableStream<StreamPart>({
        start: (controller) => {
          controller.enqueue({ type: 'response-metadata', id: 'answer' });
          controller.error(new Error('The connection broke.'));
        },
      }),
    }),
  });

interface Settings {
  model: LanguageModel;
  tools?: ToolSet;
  abortSignal?: AbortSignal;
  [setting: string]: unknown;
}

const base = { prompt: 'Hello', maxRetries: 0, stopWhen: isStepCount(3), onError: () => undefined };
const stream = (settings: object) => streamText({ ...base, ...settings } as never);

/** `streamText`, plain and in each of the guarded ways. */
const streamed = {
  stock: (settings: Settings) => stream(settings),
  'withGuards, held': (settings: Settings) =>
    stream({ ...settings, model: withGuards(settings.model, [passing], { uncalled: ['toolResult'] }) }),
  'withGuards, not held': (settings: Settings) =>
    stream({
      ...settings,
      model: withGuards(settings.model, [passing], { uncalled: ['toolResult'], hold: 'chunk', window: 'delta' }),
    }),
  'a shared run': (settings: Settings) => {
    const run = createGuardedRun([passing], { window: 'delta' });
    return stream({ ...settings, ...guardSettings(settings, run), experimental_transform: toStreamTransform(run) });
  },
  guardedToolLoop: async ({ abortSignal, ...settings }: Settings) =>
    guardedToolLoop({ ...base, ...settings, guards: [passing], guardOptions: { window: 'delta' } }).stream({
      prompt: 'Hello',
      abortSignal,
    }),
} satisfies Record<string, (settings: Settings) => unknown>;
type Way = keyof typeof streamed;
const guardedWays = (Object.keys(streamed) as Way[]).filter((way) => way !== 'stock');

interface Streamed {
  fullStream: AsyncIterable<{ type: string; [field: string]: unknown }>;
  [field: string]: unknown;
}

/** A caller's view of a stream. */
const seen = async (way: Way, settings: Settings) => {
  const result = (await streamed[way](settings)) as unknown as Streamed; // read by field name
  const parts: { type: string; [field: string]: unknown }[] = [];
  let thrown: unknown;
  try {
    for await (const part of result.fullStream) parts.push(part);
  } catch (error) {
    thrown = error;
  }
  const settled = await Promise.allSettled(['text', 'finishReason', 'steps', 'totalUsage'].map(async (name) => result[name]));
  const [text, finishReason, steps, totalUsage] = settled.map((one) =>
    one.status === 'fulfilled' ? one.value : { rejected: String(one.reason) },
  );
  return { parts, thrown, text, finishReason, steps, totalUsage };
};

const typesOf = ({ parts }: { parts: readonly { type: string }[] }) => parts.map(({ type }) => type);

const call = (toolName: string, input: object, toolCallId = 'call-1'): StreamPart => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});
const calling = (...calls: StreamPart[]): StreamPart[] => [...calls, finish('tool-calls')];

const timeless = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, field: unknown) =>
      ['performance', 'timestamp', 'headers', 'callId', 'approvalId'].includes(key) ||
      (key === 'id' && String(field).startsWith('aitxt'))
        ? undefined
        : field,
    ) ?? 'null',
  );
/** Responses whose stream ends too early. */
const cutOff: Record<string, () => StreamPart[]> = {
  'in a text': () => words('Half an ans').slice(0, 2),
  'after a call': () => [call('work', {}, 'call-2')],
  'before the response': () => [{ type: 'response-metadata', id: 'answer' }],
};

describe.each(guardedWays)('a provider that fails during its response: %s', (way) => {
  it('a broken stream rejects the result and the reader', async () => {
    const [stock, guarded] = [await seen('stock', { model: broken() }), await seen(way, { model: broken() })];
    expect(guarded).toEqual(stock);
    expect(guarded).toMatchObject({
      text: { rejected: 'Error: The connection broke.' },
      finishReason: { rejected: 'Error: The connection broke.' },
      steps: { rejected: 'Error: The connection broke.' },
    });
  });

  it.each(Object.entries(cutOff))(
    "a stream that ends without a finish part has the AI SDK's own result: %s",
    async (_, parts) => {
      const work = tool({ inputSchema: z.object({}), execute: () => 'done' });
      const settings = () => ({ model: streaming(calling(call('work', {})), parts()), tools: { work } });
      const resultOf = async ({ text, finishReason, steps }: Awaited<ReturnType<typeof seen>>) =>
        timeless({ text, finishReason, steps: Array.isArray(steps) ? steps.map(({ text: own }) => own) : steps });
      expect(await resultOf(await seen(way, settings()))).toEqual(await resultOf(await seen('stock', settings())));
    },
  );

  it('an error part of the provider keeps the usage of its step', async () => {
    const parts: StreamPart[] = [
      ...words('Hi').slice(0, 2),
      { type: 'error', error: new Error('Overloaded.') },
      ...words('Hi').slice(2),
      finish('error'),
    ];
    const [stock, guarded] = [await seen('stock', { model: streaming(parts) }), await seen(way, { model: streaming(parts) })];
    expect(guarded.totalUsage).toEqual(stock.totalUsage);
    expect(guarded.totalUsage).toMatchObject({ inputTokens: 3, outputTokens: 10 });
    expect(guarded.finishReason).toBe('error');
    expect(typesOf(guarded).filter((type) => type === 'error')).toHaveLength(1);
  });
});

describe('settings without tools', () => {
  it('guardedToolLoop accepts guards with any hook', async () => {
    const model = streaming([...words('Hello.'), finish()]);
    const result = await guardedToolLoop({ model, guards: [passing] }).stream({ prompt: 'Hi' });
    expect(await result.text).toBe('Hello.');
  });

  it('guardSettings accepts guards with any hook', async () => {
    const run = createGuardedRun([passing], { window: 'delta' });
    const settings = { model: streaming([...words('Hello.'), finish()]) };
    expect(await streamText({ ...settings, ...guardSettings(settings, run), prompt: 'Hi' }).text).toBe('Hello.');
    expect(guardSettings(settings, createGuardedRun([passing], { window: 'delta' }))).not.toHaveProperty('tools');
  });
});

const toolWays = ['a shared run', 'guardedToolLoop'] as const;

describe.each(toolWays)('tools: %s', (way) => {
  const isResult = ({ type }: { type: string }) => type === 'tool-result';
  const rows: [kind: string, execute: (input: { n: number }) => unknown][] = [
    [
      'async generator',
      async function* ({ n }: { n: number }) {
        yield { n, state: 'loading' };
        yield { n, state: 'done' };
      },
    ],
    [
      'function that returns an iterable',
      ({ n }) =>
        (async function* () {
          yield { n, state: 'loading' };
          yield { n, state: 'done' };
        })(),
    ],
  ];

  it.each(rows)('emits each result of a streaming tool: %s', async (_, execute) => {
    const settings = () => ({
      model: streaming(calling(call('work', { n: 1 })), [...words('Done.'), finish()]),
      tools: { work: tool({ inputSchema: z.object({ n: z.number() }), execute }) },
    });
    const [stock, guarded] = [await seen('stock', settings()), await seen(way, settings())];
    expect(guarded.parts.filter(isResult)).toEqual(stock.parts.filter(isResult));
    expect(guarded.parts.filter(isResult).map(({ preliminary }) => preliminary)).toEqual([true, true, undefined]);
    expect(guarded.text).toBe('Done.');
  });

  it('judges each yielded result before it is emitted', async () => {
    const work = tool({
      inputSchema: z.object({}),
      execute: async function* () {
        yield 'fine 1';
        yield 'secret 2';
        yield 'never reached';
      },
    });
    const results: unknown[] = [];
    const judging = (decide: (result: unknown, abort: (reason: string) => never) => unknown): Processor => ({
      id: 'judging',
      processToolResult: ({ result, abort }) => {
        results.push(result);
        return decide(result, abort) as never;
      },
    });
    const parts = async (guard: Processor) => {
      const model = streaming(calling(call('work', {})), [...words('Done.'), finish()]);
      const result = await guardedToolLoop({ model, tools: { work }, guards: [guard] }).stream({ prompt: 'Hello' });
      const all = [];
      for await (const part of result.fullStream) all.push(part);
      return all;
    };
    const tripped = await parts(judging((result, abort) => (String(result).includes('secret') ? abort('No.') : undefined)));
    expect(JSON.stringify(tripped)).not.toContain('secret');
    expect(tripped.at(-1)).toMatchObject({ type: 'error', error: { name: 'TripwireError' } });
    expect(results).toEqual(['fine 1', 'secret 2']);
    const edited = await parts({
      id: 'redacting',
      processToolResult: ({ messages, toolCallId }) => {
        const calls = messages.flatMap(({ content }) =>
          content.parts.flatMap((part) => (part.type === 'tool-invocation' ? [part.toolInvocation] : [])),
        );
        const own = calls.find((invocation) => invocation.toolCallId === toolCallId);
        if (own?.state === 'result') own.result = String(own.result).replace('secret', '***');
        return messages;
      },
    });
    expect(edited.filter(isResult).map((part) => (part as { output?: unknown }).output)).toEqual([
      'fine 1',
      '*** 2',
      'never reached',
      'never reached',
    ]);
  });

  it('a streaming tool that throws fails with and without guards alike', async () => {
    const settings = () => ({
      model: streaming(calling(call('work', {})), [...words('Done.'), finish()]),
      tools: {
        work: tool({
          inputSchema: z.object({}),
          execute: async function* () {
            yield 'loading';
            throw new Error('Out of paper.');
          },
        }),
      },
    });
    const [stock, guarded] = [await seen('stock', settings()), await seen(way, settings())];
    expect(typesOf(guarded)).toEqual(typesOf(stock));
    expect(guarded.parts.find(({ type }) => type === 'tool-error')).toMatchObject({ error: new Error('Out of paper.') });
  });

  it('a tool can call other tools', async () => {
    const caller = (): ToolSet[string] =>
      Object.defineProperty(tool({ inputSchema: z.object({}), execute: () => 'unbound' }), 'experimental_toolCaller', {
        value: {
          type: 'local',
          bind: (tools: ToolSet) =>
            tool({
              inputSchema: z.object({}),
              execute: async (_input, options) => ({ inner: await tools['inner']?.execute?.({}, options as never) }),
            }),
        },
      });
    const settings = () => ({
      model: streaming(calling(call('run', {})), [...words('Done.'), finish()]),
      tools: { run: caller(), inner: tool({ inputSchema: z.object({}), execute: () => 'found' }) },
      experimental_toolCallers: { inner: ['run'] },
    });
    const [stock, guarded] = [await seen('stock', settings()), await seen(way, settings())];
    const outputs = ({ parts }: { parts: readonly { type: string; output?: unknown }[] }) =>
      parts.filter(isResult).map(({ output }) => output);
    expect(outputs(stock)).toEqual([{ inner: 'found' }]);
    expect(outputs(guarded)).toEqual(outputs(stock));
  });

  const provided = (id: string): StreamPart => ({ ...call('search', { q: 1 }, id), providerExecuted: true }) as StreamPart;
  const given = (id: string): StreamPart => ({ type: 'tool-result', toolCallId: id, toolName: 'search', result: { hits: 2 } });
  const providerRows: [title: string, answers: StreamPart[][]][] = [
    ['in the same step', [[provided('a'), given('a'), ...words('Found.'), finish()]]],
    ['after text', [[provided('a'), ...words('Wait. '), given('a'), ...words('Found.', '2'), finish()]]],
    [
      'in a later step',
      [
        [provided('a'), call('work', { n: 1 }, 'b'), finish('tool-calls')],
        [given('a'), ...words('Found.'), finish()],
      ],
    ],
    [
      'after a preliminary result',
      [
        [
          provided('a'),
          { ...given('a'), result: { hits: 1 }, preliminary: true } as StreamPart,
          given('a'),
          ...words('Found.'),
          finish(),
        ],
      ],
    ],
    ['as an error', [[provided('a'), { ...given('a'), isError: true } as StreamPart, ...words('Sorry.'), finish()]]],
  ];

  it.each(providerRows)('emits the results of a provider-executed tool %s', async (_, answers) => {
    const settings = () => ({
      model: streaming(...answers),
      tools: {
        search: {
          type: 'provider',
          isProviderExecuted: true,
          id: 'test.search',
          args: {},
          inputSchema: z.object({ q: z.number() }),
          supportsDeferredResults: true,
        } as never,
        work: tool({ inputSchema: z.object({ n: z.number() }), execute: () => 'worked' }),
      },
    });
    const [stock, guarded] = [await seen('stock', settings()), await seen(way, settings())];
    expect(timeless(guarded.parts)).toEqual(timeless(stock.parts));
    expect(timeless(guarded.steps)).toEqual(timeless(stock.steps));
  });
});

describe("the provider's metadata", () => {
  const raws = (): StreamPart[] => [
    { type: 'raw', rawValue: { said: 'Hel' } },
    ...words('Hel').slice(0, 2),
    { type: 'raw', rawValue: { said: 'lo.' } },
    { type: 'text-delta', id: '1', delta: 'lo.' },
    { type: 'text-end', id: '1' },
    finish(),
  ];
  const withRaw = { rawChunks: true };

  it.each(guardedWays)('emits raw chunks of an unedited response: %s', async (way) => {
    const model = streaming(raws());
    const guarded = await seen(way, { model, include: withRaw });
    expect(guarded.parts.filter(({ type }) => type === 'raw').map(({ rawValue }) => rawValue)).toEqual([
      { said: 'Hel' },
      { said: 'lo.' },
    ]);
    expect(model.doStreamCalls[0]).toMatchObject({ includeRawChunks: true });
  });

  const editing: Processor = {
    id: 'editing',
    processOutputStream: async ({ part }) =>
      part.type === 'text-delta' ? { ...part, payload: { ...part.payload, text: '***' } } : part,
  };

  it.each(['chunk', 'step'] as const)('emits no raw chunks of an edited response: hold %s', async (hold) => {
    const result = streamText({ model: withGuards(streaming(raws()), [editing], { hold }), prompt: 'Hello', include: withRaw });
    const parts = [];
    for await (const part of result.fullStream) parts.push(part);
    expect(JSON.stringify(parts)).not.toMatch(/Hel|lo\./);
    expect(parts.some(({ type }) => type === 'raw')).toBe(false);
  });

  const answering = () =>
    new MockLanguageModelV4({
      doGenerate: async () => ({
        content: [{ type: 'text', text: 'Hello.' }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage,
        warnings: [],
        response: { id: 'answer', body: { said: 'Hello.' } },
      }),
    });

  it('returns the response body of an unedited response', async () => {
    const include = { responseBody: true };
    const stock = await generateText({ ...base, model: answering(), include });
    const loop = guardedToolLoop({ ...base, model: answering(), guards: [passing], include });
    const guarded = await loop.generate({ prompt: 'Hello' });
    expect(stock.response.body).toEqual({ said: 'Hello.' });
    expect(guarded.response.body).toEqual(stock.response.body);
    const edited = await generateText({ ...base, model: withGuards(answering(), [editing]), include });
    expect(edited.response.body).toBeUndefined();
    expect(edited.text).toBe('***');
  });
});

describe('an abort', () => {
  it.each(guardedWays)('ends the stream with its reason, which may be a text: %s', async (way) => {
    const aborting = () => {
      const caller = new AbortController();
      const provider = new MockLanguageModelV4({
        doStream: async () => ({
          stream: new ReadableStream<StreamPart>({
            start: (controller) => controller.enqueue({ type: 'stream-start', warnings: [] }),
            pull: (controller) => {
              caller.abort('The user clicked stop.');
              controller.error(new DOMException('This operation was aborted', 'AbortError'));
            },
          }),
        }),
      });
      return { model: provider, abortSignal: caller.signal };
    };
    const [stock, guarded] = [await seen('stock', aborting()), await seen(way, aborting())];
    expect(stock.parts.at(-1)).toEqual({ type: 'abort', reason: 'The user clicked stop.' });
    expect(guarded.parts.at(-1)).toEqual(stock.parts.at(-1));
  });
});

describe('timeouts', () => {
  /** A slow provider, which fails with its own error if the call is aborted. */
  const slow = () =>
    new MockLanguageModelV4({
      doGenerate: ({ abortSignal }) => aborted(abortSignal),
      doStream: async ({ abortSignal }) => ({
        stream: new ReadableStream<StreamPart>({
          start: (controller) => {
            for (const part of words('Hel').slice(0, 2)) controller.enqueue(part);
            aborted(abortSignal).catch((error: unknown) => controller.error(error));
          },
        }),
      }),
    });
  const aborted = (signal: AbortSignal | undefined): Promise<never> =>
    new Promise((_, reject) =>
      signal?.addEventListener('abort', () => reject(new DOMException('This operation was aborted', 'AbortError'))),
    );
  const named = (given: PromiseLike<unknown>) => Promise.resolve(given).catch((error: unknown) => (error as Error).name);

  it.each(guardedWays)('reject the result of a stream with a TimeoutError: %s', async (way) => {
    // Around a model alone, guards do not see the timeouts, and the AI SDK does not count buffered words as chunks.
    const betweenChunks = way === 'withGuards, held' ? [] : [{ chunkMs: 30 }];
    for (const timeout of [{ stepMs: 30 }, { totalMs: 30 }, ...betweenChunks]) {
      const [stock, guarded] = [await seen('stock', { model: slow(), timeout }), await seen(way, { model: slow(), timeout })];
      expect(stock.text).toMatchObject({ rejected: expect.stringContaining('TimeoutError') });
      expect(guarded.text).toEqual(stock.text);
    }
  });

  /** The ways in which guards see the timeouts. */
  const ways = ['a shared run', 'guardedToolLoop'] as const;

  it.each(ways)('reject the result if the provider opens a stream and is silent: %s', async (way) => {
    const silent = () => new MockLanguageModelV4({ doStream: async () => ({ stream: new ReadableStream<StreamPart>() }) });
    const timeout = { firstChunkMs: 30 };
    const [stock, guarded] = [await seen('stock', { model: silent(), timeout }), await seen(way, { model: silent(), timeout })];
    expect(stock.text).toMatchObject({ rejected: expect.stringContaining('First chunk timeout of 30ms') });
    expect(guarded.text).toEqual(stock.text);
    expect(guarded.parts.at(-1)).toEqual(stock.parts.at(-1));
  });

  it.each(ways)('give the provider a TimeoutError as reason: %s', async (way) => {
    for (const timeout of [{ stepMs: 30 }, { totalMs: 30 }, { chunkMs: 30 }]) {
      const reasons: unknown[] = [];
      const silent = new MockLanguageModelV4({
        doStream: async ({ abortSignal }) => {
          abortSignal?.addEventListener('abort', () => reasons.push(abortSignal.reason));
          return {
            stream: new ReadableStream<StreamPart>({
              start: (out) =>
                words('Hel')
                  .slice(0, 2)
                  .forEach((part) => out.enqueue(part)),
            }),
          };
        },
      });
      await seen(way, { model: silent, timeout });
      expect(reasons).toMatchObject([{ name: 'TimeoutError' }]);
    }
  });

  it.each(ways)('do not count the time in which guards hold a response: %s', async (way) => {
    const pause = () => new Promise((resolve) => void setTimeout(resolve, 60));
    const texts = ['one ', 'two ', 'three ', 'four '];
    const steady = new MockLanguageModelV4({
      doStream: async () => ({
        stream: new ReadableStream<StreamPart>({
          start: async (controller) => {
            for (const part of [...texts.flatMap((text, index) => words(text, `${index}`)), finish()]) {
              controller.enqueue(part);
              await pause();
            }
            controller.close();
          },
        }),
      }),
    });
    const guarded = await seen(way, { model: steady, timeout: { firstChunkMs: 500, chunkMs: 500 } });
    expect(guarded.text).toBe('one two three four ');
  });

  it('of chunks are reported as unsupported in a generated response', async () => {
    const logged = vi.fn();
    vi.stubGlobal('AI_SDK_LOG_WARNINGS', ({ warnings }: { warnings: readonly { feature?: string }[] }) =>
      warnings.forEach((warning) => logged(warning)),
    );
    onTestFinished(() => void vi.unstubAllGlobals());
    const timeout = { firstChunkMs: 500, chunkMs: 500 };
    const warningsOf = async (generate: (model: LanguageModel) => PromiseLike<unknown>): Promise<unknown> => {
      logged.mockClear();
      await generate(scriptedModel({ specificationVersion: 'v4', steps: [{ text: ['Done.'] }] }));
      return logged.mock.calls;
    };
    const stock = await warningsOf((model) => generateText({ model, timeout, prompt: 'Hello' }));
    expect(stock).toHaveLength(2);
    expect(
      await warningsOf((model) => guardedToolLoop({ model, guards: [passing] }).generate({ prompt: 'Hello', timeout })),
    ).toEqual(stock);
    const guarded = await warningsOf((model) => {
      const settings = { model, timeout, prompt: 'Hello' };
      return generateText({ ...settings, ...guardSettings(settings, createGuardedRun([passing], { window: 'delta' })) });
    });
    expect(guarded).toEqual(stock);
  });

  it('reject a call with a TimeoutError', async () => {
    for (const timeout of [{ stepMs: 30 }, { totalMs: 30 }]) {
      const settings = { ...base, timeout };
      expect(await named(generateText({ ...settings, model: withGuards(slow(), [passing], { uncalled: ['toolResult'] }) }))).toBe(
        'TimeoutError',
      );
      const loop = guardedToolLoop({ ...settings, model: slow(), guards: [passing] });
      expect(await named(loop.generate({ prompt: 'Hello' }))).toBe('TimeoutError');
    }
  });
});

describe('the context of a step', () => {
  it('experimental_context reaches the tools of its step', async () => {
    const contexts: unknown[] = [];
    const work = tool({
      inputSchema: z.object({}),
      execute: (_input, options) => {
        contexts.push((options as { experimental_context?: unknown }).experimental_context);
        return 'worked';
      },
    });
    const model = streaming(calling(call('work', {})), calling(call('work', {}, 'call-2')), [...words('Done.'), finish()]);
    const run = createGuardedRun([passing], { window: 'delta' });
    const prepareStep = ({ stepNumber }: { stepNumber: number }) =>
      stepNumber === 0 ? { experimental_context: { tenant: 'a' } } : undefined;
    const settings = { model, tools: { work }, prepareStep };
    const result = streamText({ ...base, ...settings, ...guardSettings(settings, run), runtimeContext: { tenant: 'b' } });
    expect(await result.text).toBe('Done.');
    expect(contexts).toEqual([{ tenant: 'a' }, { tenant: 'b' }]);
  });

  it('rejects tools returned by prepareStep, which the AI SDK would ignore', async () => {
    const prepareStep = toPrepareStep([{ id: 'idle', processInputStep: () => undefined }], {
      prepareStep: () => ({ tools: {} }) as never, // like a caller without types
    });
    const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text: 'Hello.' }] });
    await expect(generateText({ ...base, model, prepareStep: prepareStep as never })).rejects.toMatchObject({
      code: 'ai-sdk/unsupported-field',
      path: 'prepareStep.tools',
    });
  });
});

describe('approval', () => {
  const retrying: Processor = {
    id: 'asking',
    processOutputStream: async ({ part }) => (part.type === 'tool-call' ? requireApproval(part) : part),
  };
  const createLoop = (paid: number[]) => {
    const pay = tool({
      inputSchema: z.object({ amount: z.number() }),
      execute: ({ amount }) => {
        paid.push(amount);
        return 'paid';
      },
    });
    const model = new MockLanguageModelV4({
      doStream: async ({ prompt }) => ({
        stream: simulateReadableStream({
          chunks: JSON.stringify(prompt).includes('tool-result')
            ? [...words('Done.'), finish()]
            : calling(call('pay', { amount: 5 })),
        }),
      }),
    });
    return guardedToolLoop({ model, tools: { pay }, guards: [retrying] });
  };

  const ask = async (paid: number[]) => {
    const first = await createLoop(paid).stream({ prompt: 'Pay.' });
    const request = (await first.content).find((part) => part.type === 'tool-approval-request');
    return { request, messages: [{ role: 'user', content: 'Pay.' }, ...(await first.response).messages] as ModelMessage[] };
  };

  it.each([
    [true, [5]],
    [false, []],
  ])('requireApproval of a guard creates an approval request of the AI SDK: approved %s', async (approved, expected) => {
    const paid: number[] = [];
    const { request, messages } = await ask(paid);
    expect(request).toMatchObject({ type: 'tool-approval-request', toolCall: { toolName: 'pay' } });
    expect(paid).toEqual([]);
    const approvalId = request?.approvalId ?? '';
    messages.push({ role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved }] });
    const second = await createLoop(paid).stream({ messages });
    expect(await second.text).toBe('Done.');
    expect(paid).toEqual(expected);
  });

  it('fails the run if the toolApproval of the application allows the call', async () => {
    const paid: number[] = [];
    const loop = createLoop(paid);
    const model = streaming(calling(call('pay', { amount: 5 })), [...words('Done.'), finish()]);
    const run = createGuardedRun([retrying]);
    const settings = { model, tools: loop.tools as ToolSet };
    const result = streamText({
      ...base,
      ...settings,
      ...guardSettings(settings, run),
      toolApproval: () => 'not-applicable',
      experimental_transform: toStreamTransform(run),
    });
    await expect(Promise.resolve(result.text)).rejects.toMatchObject({ name: 'GuardUnavailableError' });
    expect(paid).toEqual([]);
  });
});
