import {
  partsOf,
  finishOf,
  type LanguageModelOf,
  type SpecVersion,
  type StreamPartOf,
  type Part,
  type ScriptedStep,
  type StepScript,
} from './scripted-parts.js';
import { setTimeout as sleep } from 'node:timers/promises';

/** One call of a scripted model, updated while it runs. */
export interface ScriptedCall<V extends SpecVersion = SpecVersion> {
  /** The call's number on this model, from 0. */
  readonly index: number;
  readonly mode: 'generate' | 'stream';
  /** The caller's prompt, by reference. */
  readonly prompt: CallOptionsOf<V>['prompt'];
  readonly options: CallOptionsOf<V>;
  /** Stream parts that the consumer pulled. */
  readonly pulled: number;
  /** Whether the consumer canceled the stream before its end. */
  readonly cancelled: boolean;
  readonly cancelReason: unknown;
  /** Whether the caller's abort signal ended the call. */
  readonly aborted: boolean;
}

/** The same, writable for the model. */
type MutableCall<V extends SpecVersion> = { -readonly [K in keyof ScriptedCall<V>]: ScriptedCall<V>[K] };

export interface ScriptedModelOptions<V extends SpecVersion = 'v2'> {
  /** The steps in order, or a function of the call. */
  readonly steps: readonly ScriptedStep<V>[] | ((call: ScriptedCall<V>) => ScriptedStep<V> | Promise<ScriptedStep<V>>);
  /** Default `scripted-model`. */
  readonly modelId?: string;
  /** Default `scripted`. */
  readonly provider?: string;
  /** The version of the model interface. Default `'v2'`. */
  readonly specificationVersion?: V;
}

/** A language model that answers from a script, and its record of requests. */
export type ScriptedModel<V extends SpecVersion = 'v2'> = LanguageModelOf<V> & {
  readonly calls: readonly ScriptedCall<V>[];
  /** Stream parts pulled, over all calls. */
  readonly pulled: number;
  /** Whether the consumer of any call canceled its stream before its end. */
  readonly cancelled: boolean;
};

const stepFor = async <V extends SpecVersion>(
  options: ScriptedModelOptions<V>,
  call: ScriptedCall<V>,
): Promise<ScriptedStep<V>> => {
  if (typeof options.steps === 'function') return options.steps(call);
  const step = options.steps[call.index];
  if (!step) throw new RangeError(`The script has ${options.steps.length} steps, and this is call ${call.index + 1}.`);
  return step;
};

/** Opens a call: a step without content fails or hangs here. */
const openStep = async <V extends SpecVersion>(
  options: ScriptedModelOptions<V>,
  call: MutableCall<V>,
): Promise<ScriptedStep<V>> => {
  const signal = call.options.abortSignal;
  try {
    const step = await stepFor(options, call);
    signal?.throwIfAborted();
    if (hasContent(step)) return step;
    if (step.hang) await rejectOnAbort(signal);
    if (step.error !== undefined) raise(step.error);
    return step;
  } catch (error) {
    call.aborted = signal?.aborted ?? false;
    throw error;
  }
};

/**
 * A language model in memory, for tests: it answers from a script, records its calls, and produces stream parts only as they
 * are pulled. It works wherever the AI SDK or Mastra accepts a model.
 *
 * @example
 * const model = scriptedModel({ steps: [{ toolCalls: [{ name: 'add', args: { a: 1, b: 2 } }] }, { text: ['It is', ' 3.'] }] });
 * const agent = new Agent({ id: 'sums', name: 'Sums', instructions: 'Add.', model, tools: { add } });
 */
export const scriptedModel = <V extends SpecVersion = 'v2'>(options: ScriptedModelOptions<V>): ScriptedModel<V> => {
  const { modelId = 'scripted-model', provider = 'scripted' } = options;
  const version = options.specificationVersion ?? 'v2';
  const calls: MutableCall<V>[] = [];

  const startCall = (mode: ScriptedCall['mode'], callOptions: CallOptionsOf<V>): MutableCall<V> => {
    const seen = { pulled: 0, cancelled: false, cancelReason: undefined, aborted: false };
    const call: MutableCall<V> = { index: calls.length, mode, prompt: callOptions.prompt, options: callOptions, ...seen };
    calls.push(call);
    return call;
  };
  const start = async (mode: ScriptedCall['mode'], callOptions: CallOptionsOf<V>) => {
    const call = startCall(mode, callOptions);
    const step = await openStep(options, call);
    const parts = partsOf(step, { version, modelId, index: call.index });
    return { call, parts, source: sourceOf(step, parts, callOptions.abortSignal) };
  };

  const doStream = async (callOptions: CallOptionsOf<V>): Promise<{ stream: ReadableStream<StreamPartOf<V>> }> => {
    const { call, source } = await start('stream', callOptions);
    return { stream: toStream(source, call) as ReadableStream<StreamPartOf<V>> };
  };
  const doGenerate = async (callOptions: CallOptionsOf<V>): Promise<GenerateResultOf<V>> => {
    const { call, source, parts } = await start('generate', callOptions);
    for await (const _ of toStream(source, call));
    return gather(parts, version as V);
  };

  const model: unknown = {
    specificationVersion: version,
    modelId,
    provider,
    supportedUrls: {},
    doStream,
    doGenerate,
    calls,
    get pulled() {
      return calls.reduce((sum, call) => sum + call.pulled, 0);
    },
    get cancelled() {
      return calls.some((call) => call.cancelled);
    },
  };
  // The parts above implement each version's interface; TypeScript cannot infer that through a generic version.
  return model as ScriptedModel<V>;
};

/** Throws the script's error, which may be any value. */
const raise = (error: unknown): never => {
  throw error;
};

/** The timed parts of a step, and its end. */
const sourceOf = async function* (step: StepScript, parts: readonly Part[], signal?: AbortSignal): AsyncGenerator<Part, void> {
  for (const part of parts) {
    await wait(step.delayMs ?? 0, signal);
    yield part;
  }
  if (step.error !== undefined) raise(step.error);
  if (step.hang) await rejectOnAbort(signal);
};

/** A stream that pulls from the source on demand, and records it. */
const toStream = <V extends SpecVersion>(source: AsyncGenerator<Part, void>, call: MutableCall<V>): ReadableStream<unknown> =>
  new ReadableStream<Part>(
    {
      pull: async (controller) => {
        try {
          const next = await source.next();
          if (call.cancelled) return;
          if (next.done) return controller.close();
          call.pulled += 1;
          controller.enqueue(next.value);
        } catch (error) {
          call.aborted = call.options.abortSignal?.aborted ?? false;
          controller.error(error);
        }
      },
      cancel: (reason) => {
        call.cancelled = true;
        call.cancelReason = reason;
      },
    },
    // Nothing is produced before the consumer asks: only requested parts are counted as pulled.
    { highWaterMark: 0 },
  );

/** Never resolves; rejects with the signal's reason once it is aborted. */
export const rejectOnAbort = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });

/** Waits `ms` milliseconds; rejects with the signal's reason once it is aborted. */
export const wait = async (ms: number, signal?: AbortSignal): Promise<void> => {
  signal?.throwIfAborted();
  if (ms <= 0) return;
  // Node's own rejection wraps the reason; providers throw the caller's.
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
};

type CallOptionsOf<V extends SpecVersion> = Parameters<LanguageModelOf<V>['doStream']>[0];

/** Whether a step has content before it fails or hangs. */
const hasContent = ({ text, reasoning, toolCalls, parts }: StepScript): boolean =>
  [text, reasoning, toolCalls, parts].some((content) => content !== undefined);

const blockPart = /^(text|reasoning)-(start|delta|end)$/;

const wholeContent = new Set(['tool-call', 'tool-result', 'file', 'reasoning-file', 'source', 'custom', 'tool-approval-request']);

type Block = Part & { text: string; providerMetadata?: unknown };

const contentOf = (parts: readonly Part[]): Part[] => {
  const content: Part[] = [];
  const blocks = new Map<string, Block>();
  for (const part of parts) {
    const [, type] = blockPart.exec(part.type) ?? [];
    if (!type) {
      if (wholeContent.has(part.type)) content.push(part);
      continue;
    }
    const key = `${type}/${String(part['id'])}`;
    const block: Block = blocks.get(key) ?? { type, text: '' };
    if (!blocks.has(key)) content.push(block);
    blocks.set(key, block);
    if (typeof part['delta'] === 'string') block.text += part['delta'];
    if (part['providerMetadata'] !== undefined) block.providerMetadata = part['providerMetadata']; // the last one wins
  }
  return content.filter((part) => part['text'] !== '' || part['providerMetadata'] !== undefined);
};

const lastOf = (parts: readonly Part[], type: string): Part | undefined => parts.findLast((part) => part.type === type);

/** The result of a call without streaming: the same parts, combined. */
const gather = <V extends SpecVersion>(parts: readonly Part[], version: V): GenerateResultOf<V> => {
  const failure = lastOf(parts, 'error');
  if (failure) throw failure['error'];
  const finish: Part = lastOf(parts, 'finish') ?? { type: 'finish', ...finishOf[version]('other') };
  const metadata = lastOf(parts, 'response-metadata');
  const result: unknown = {
    content: contentOf(parts),
    finishReason: finish['finishReason'],
    usage: finish['usage'],
    ...(finish['providerMetadata'] !== undefined && { providerMetadata: finish['providerMetadata'] }),
    warnings: lastOf(parts, 'stream-start')?.['warnings'] ?? [],
    response: { id: metadata?.['id'], modelId: metadata?.['modelId'], timestamp: metadata?.['timestamp'] },
  };
  return result as GenerateResultOf<V>; // the parts are of version V, by the step's type
};

type GenerateResultOf<V extends SpecVersion> = Awaited<ReturnType<LanguageModelOf<V>['doGenerate']>>;
