import { setTimeout as sleep } from 'node:timers/promises';
import type { Processor } from '@mastra/core/processors';
import { streamText } from 'ai';
import { describe, expect, it } from 'vitest';
import { guardedToolLoop, toStreamTransform, withGuards } from '../../src/ai-sdk/index.js';
import { memoryEngine } from '../../src/durable/memory-engine.js';
import { guard } from '../../src/index.js';
import type { InterlockConfig } from '../../src/mastra/agent/config.js';
import { collectTraces } from '../../src/trace/traces.js';
import { createAgent, guardOn, modes, readAll, type Mode } from '../promises/support.js';

const never = new Promise<never>(() => undefined);
const words = ['All is well. ', 'And s'].map((delta) => ({ type: 'text-delta', id: 't', delta }));

/** A stream that is silent after a few words, and is canceled in its own way. */
const silentAfterWords = (cancel: () => Promise<never> | undefined) => async () => {
  const parts = [{ type: 'stream-start', warnings: [] }, { type: 'text-start', id: 't' }, ...words].values();
  const pull = (controller: ReadableStreamDefaultController): Promise<never> | undefined => {
    const { done, value } = parts.next();
    if (done) return never;
    controller.enqueue(value);
    return undefined;
  };
  return { stream: new ReadableStream({ pull, cancel }, { highWaterMark: 0 }) };
};

/** Providers that ignore the signal of their call, by the moment from which on they are silent. */
const providers = {
  'before it responds': () => never,
  'after a few words': silentAfterWords(() => undefined),
  'after a few words, and ignores that it is canceled': silentAfterWords(() => never),
};
type Moment = keyof typeof providers;
const moments = Object.keys(providers) as Moment[];
const responding = moments.filter((moment) => moment !== 'before it responds');

const modelOf = (moment: Moment, specificationVersion: string) => {
  const calls = { doStream: providers[moment], doGenerate: () => never };
  return { specificationVersion, provider: 'p', modelId: 'm', supportedUrls: {}, ...calls } as never; // of the version's type
};

const soon = <T>(act: () => T): Promise<T> => sleep(20).then(act);

/** Guards that block after a while. */
const blockers: Record<string, () => Processor[]> = {
  'at once': () => [guardOn('outputStream', ({ abort }) => abort('No.'))],
  'after a while': () => [guardOn('outputStream', ({ abort }) => soon(() => abort('No.')))],
  'with a window': () => [
    guard(
      guardOn('outputStream', ({ abort }) => soon(() => abort('No.'))),
      { window: 'sentence' },
    ),
  ],
};

const writing = guardOn('outputStream', ({ writer }) => {
  void soon(() => writer?.custom({ type: 'data-note', data: 1 })).catch(() => undefined);
});
const readingData = (): Processor => ({
  id: 'reading-data',
  processDataParts: true,
  processOutputStream: async ({ part, abort }) => (part.type === 'data-note' ? abort('No.') : part),
});

const agentOf = (moment: Moment, config: InterlockConfig) => createAgent({ model: modelOf(moment, 'v2'), ...config });

/** The status with which a run ends; its stream is read to the end. */
const statusOf = async (moment: Moment, mode: Mode, { config, call }: { config?: InterlockConfig; call?: object }) => {
  const agent = agentOf(moment, config ?? {});
  if (mode === 'generate') return (await agent.generate('Hi', call)).status;
  const stream = await agent.stream('Hi', call);
  await readAll(stream.fullStream);
  return stream.status;
};

const agents: Record<string, () => InterlockConfig> = {
  'without guards': () => ({}),
  'with a guard of each chunk': () => ({ outputProcessors: [guardOn('outputStream', () => undefined)] }),
  'with a window': () => ({
    outputProcessors: [
      guard(
        guardOn('outputStream', () => Promise.resolve()),
        { window: 'sentence' },
      ),
    ],
  }),
  'with a guard that overlaps': () => ({
    inputProcessors: [guard({ id: 'beside', processInput: async () => undefined as never }, { overlap: true })],
  }),
  recorded: () => ({ record: collectTraces().record }),
  durable: () => ({ durability: memoryEngine() }),
};

describe.each(moments)('a provider that is silent %s', (moment) => {
  describe.each(modes)('%s', (mode) => {
    it.each(Object.keys(agents))('the run ends when its caller aborts: %s', async (name) => {
      const controller = new AbortController();
      void soon(() => controller.abort());
      const call = { abortSignal: controller.signal };
      expect(await statusOf(moment, mode, { config: agents[name]?.(), call })).toBe('canceled');
    });

    it('the run ends at its deadline', async () => {
      expect(await statusOf(moment, mode, { config: agents['durable']?.(), call: { deadlineMs: 20 } })).toBe('canceled');
    });
  });

  it.each(Object.keys(agents))('the run ends when its reader cancels: %s', async (name) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const onRunEvent: InterlockConfig['onRunEvent'] = (event) => void (event.type === 'run-finish' && resolve(event.status));
    const { fullStream } = await agentOf(moment, { ...agents[name]?.(), onReaderCancel: 'stop', onRunEvent }).stream('Hi');
    const reader = fullStream.getReader();
    await reader.read();
    await reader.cancel();
    expect(await promise).toBe('canceled');
  });
});

describe.each(responding)('a provider that is silent %s', (moment) => {
  it.each(Object.keys(blockers))('the run ends when a guard blocks %s', async (when) => {
    const outputProcessors = blockers[when]?.();
    expect(await statusOf(moment, 'stream', { config: { outputProcessors } })).toBe('tripwire');
  });

  it.each([
    ['each chunk', []],
    ['windows', [guard({ ...guardOn('outputStream', () => undefined), id: 'windowed' }, { window: 'sentence' })]],
  ])('the run ends when a guard blocks a data part that another one writes later, with guards of %s', async (_, others) => {
    const config = { outputProcessors: [writing, ...others, readingData()] };
    expect(await statusOf(moment, 'stream', { config })).toBe('tripwire');
  });
});

interface SdkCall {
  readonly guards: Processor[];
  readonly abortSignal?: AbortSignal;
}
const quiet = { prompt: 'Hi', onError: () => undefined };

/** Streams of the AI SDK. */
const ways: Record<string, (moment: Moment, call: SdkCall) => Promise<ReadableStream<{ type: string; error?: unknown }>>> = {
  withGuards: async (moment, { guards, ...call }) =>
    streamText({ ...quiet, ...call, model: withGuards(modelOf(moment, 'v4'), guards) }).fullStream,
  'withGuards and a signal of its own': async (moment, { guards, ...call }) =>
    streamText({ ...quiet, model: withGuards(modelOf(moment, 'v4'), guards, call) }).fullStream,
  toStreamTransform: async (moment, { guards, ...call }) =>
    streamText({ ...quiet, ...call, model: modelOf(moment, 'v4'), experimental_transform: toStreamTransform(guards) }).fullStream,
  guardedToolLoop: async (moment, { guards, ...call }) =>
    (await guardedToolLoop({ model: modelOf(moment, 'v4'), guards, onError: quiet.onError }).stream({ prompt: 'Hi', ...call }))
      .fullStream,
};

/** The types of a stream's parts. One that fails ends, too. */
const typesIn = (stream: unknown): Promise<string[]> =>
  readAll<{ type: string }>(stream).then(
    (parts) => parts.map(({ type }) => type),
    () => ['error'],
  );

describe.each(Object.keys(ways))('a silent provider, %s', (name) => {
  const open = (moment: Moment, call: SdkCall) => ways[name]?.(moment, call) as ReturnType<(typeof ways)[string]>; // one of them
  const calm = () => [guardOn('outputStream', () => undefined)];

  it.each(moments)('the stream ends when its caller aborts: %s', async (moment) => {
    const controller = new AbortController();
    void soon(() => controller.abort());
    const types = await typesIn(await open(moment, { guards: calm(), abortSignal: controller.signal }));
    expect(['abort', 'error']).toContain(types.at(-1));
  });

  it.each(moments)('its reader can cancel: %s', async (moment) => {
    const reader = (await open(moment, { guards: calm() })).getReader();
    const reading = reader.read();
    await reader.cancel();
    expect(await reading).toBeDefined();
  });

  it.each(responding.flatMap((moment) => Object.keys(blockers).map((when) => [when, moment] as const)))(
    'the stream ends when a guard blocks %s: silent %s',
    async (when, moment) => {
      expect(await typesIn(await open(moment, { guards: blockers[when]?.() ?? [] }))).toContain('error');
    },
  );
});

it.each(moments)(
  'a silent provider: doGenerate and doStream of a guarded model end when their caller aborts: %s',
  async (moment) => {
    const model = withGuards(modelOf(moment, 'v4'), [guardOn('outputStream', () => undefined)]);
    const abortSignal = AbortSignal.timeout(20);
    const call = { prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }], abortSignal };
    const drain = async () => readAll((await model.doStream(call)).stream);
    await expect(model.doGenerate(call)).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect(drain()).rejects.toMatchObject({ name: 'TimeoutError' });
  },
);
