import pRetry from 'p-retry';
import * as mastraLlm from '@mastra/core/llm';
import type { ResolvedModel } from '../../phase/host.js';
import type { ModelConnection, ModelRequest, ModelResponse, StepSettings, Prompt, PartSource } from '../../loop/ports.js';
import { InterlockError } from '../../errors.js';
import { isPresent } from '../../phase/settle-messages.js';
import { throwFaults, longestTimerMs } from '../../option-kind.js';
import { modelSettingsFaults } from '../options/mastra-options.js';
import { mergeOption } from '../options/option-table.js';
import { structuredOutputFaults, type StructuredOutput } from '../structured-output/structured-output-options.js';
import { providerTools } from './prompts.js';
import { isStrict, jsonSchemaFor } from '../structured-output/output-schema.js';
import { createProviderClock, type Limit, type ProviderLimits } from '../../loop/provider-clock.js';
import { anySignal, untilAborted, whenReady, type Awaitable } from '../../phase/awaitable.js';

/** Milliseconds before the second attempt; doubled for each further one. */
const firstRetryDelayMs = 1_000;
/** A provider that asks for a longer delay gets this one, as in Mastra. */
const longestRetryDelayMs = 30_000;

/** The key under which Mastra's router attaches the connection of a streamed call. */
const connectionKey = Symbol.for('@mastra/core.modelStreamTransport');

interface ModelCallOptions {
  readonly includeRawChunks?: boolean | undefined;
  /** Headers of every call, which those of the model and of the call override. */
  readonly commonHeaders?: Headers;
  /** Called after each call, with the connection that it left open. */
  readonly onConnection?: (connection: ModelConnection | undefined) => void;
}

type Headers = Readonly<Record<string, string>>;

type Settings = Pick<StepSettings, 'modelSettings' | 'providerOptions'>;

/**
 * Creates the function that calls a model. It retries errors that the provider marks as retryable, and with `maxRetries` also those
 * without a mark, up to `maxRetries` times, then rejects with the last error, and the loop calls the error guards.
 *
 * A model's own settings override those of the call, as in Mastra; a guard's settings for the step override both.
 */
export const createModelCall =
  (called: Settings, { includeRawChunks, commonHeaders, onConnection }: ModelCallOptions = {}) =>
  async (request: ModelRequest): Promise<ModelResponse> => {
    const { entry, prompt, mode, abortSignal } = request;
    // hooks may have set them
    throwFaults([
      ...modelSettingsFaults(request.modelSettings),
      ...(request.structuredOutput ? structuredOutputFaults(request.structuredOutput) : []),
    ]);
    const { modelSettings, providerOptions } = settingsOf(request, called);
    const { maxRetries, headers, timeout, ...settings } = modelSettings;
    const limited = limitCall(timeout, { mode, abortSignal });
    const jsonRequest = requestJson(prompt, request.structuredOutput, entry.model);
    const options = {
      ...jsonRequest,
      prompt: withLastUserMessage(jsonRequest, entry.model),
      ...settings,
      ...providerTools(request, entry.model.specificationVersion),
      providerOptions: mergeOption('providerOptions', jsonRequest.providerOptions, providerOptions),
      headers: mergeHeaders(commonHeaders, entry.headers, headers),
      abortSignal: limited.signal,
      ...(includeRawChunks && mode === 'stream' && { includeRawChunks }),
    };
    const call = (mode === 'generate' ? entry.model.doGenerate : entry.model.doStream) as ProviderCall;
    const isRetryable = (error: ProviderError): boolean =>
      error.isRetryable ?? (isPresent(maxRetries) && !(error instanceof InterlockError));
    const result = await pRetry(() => limited.call(() => call.call(entry.model, options)), {
      retries: maxRetries ?? entry.maxRetries,
      minTimeout: 0,
      signal: limited.signal,
      shouldRetry: ({ error }) => isRetryable(error),
      onFailedAttempt: ({ error, attemptNumber, retriesLeft }) =>
        retriesLeft > 0 && isRetryable(error) ? limited.pause(retryDelayMs(error, attemptNumber)) : undefined,
    });
    const connection: ModelConnection | undefined = Reflect.get(result, connectionKey); // the models of Mastra's router set it
    onConnection?.(connection);
    const { stream, request: sent, response, warnings } = result;
    return {
      parts: limited.read(stream),
      request: sent,
      response: metadataOf(response, entry.model),
      warnings,
    };
  };

/** Later headers override earlier ones, whatever their case. Undefined without headers. */
const mergeHeaders = (...sources: readonly (Headers | undefined)[]): Headers | undefined => {
  const entries = sources.flatMap((source) => Object.entries(source ?? {}));
  return entries.length > 0 ? Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value])) : undefined;
};

/** Fields of the AI SDK's provider errors. */
interface ProviderError extends Error {
  readonly isRetryable?: boolean;
  readonly responseHeaders?: Readonly<Record<string, string>>;
}

/** The delay before a retry: the provider's, up to a limit; without one it is doubled for each attempt. */
const retryDelayMs = (error: ProviderError, attemptNumber: number): number => {
  const { 'retry-after-ms': ms, 'retry-after': after } = error.responseHeaders ?? {};
  const retryAfterMs = ms !== undefined ? Number(ms) : after !== undefined ? toMs(after) : Number.NaN;
  return retryAfterMs >= 0 ? Math.min(retryAfterMs, longestRetryDelayMs) : firstRetryDelayMs * 2 ** (attemptNumber - 1);
};

/** Seconds, or a date. */
const toMs = (after: string): number => {
  const seconds = Number(after);
  return Number.isNaN(seconds) ? Date.parse(after) - Date.now() : seconds * 1_000;
};

interface ModelSettings {
  maxRetries?: number | null;
  headers?: Record<string, string>;
  timeout?: ModelTimeout;
  [setting: string]: unknown;
}

const settingsOf = ({ entry, modelSettings, providerOptions }: ModelRequest, called: Settings) => {
  const own = { modelSettings: entry.modelSettings, providerOptions: entry.providerOptions };
  const merge = (name: keyof Settings, step: unknown) => {
    const merged = step === called[name] ? mergeOption(name, step, own[name]) : mergeOption(name, own[name], step);
    return merged as ModelSettings | undefined; // either one, or both merged
  };
  return {
    modelSettings: merge('modelSettings', modelSettings) ?? {},
    providerOptions: merge('providerOptions', providerOptions),
  };
};

/** The metadata of a response, made up where the provider sends none, as in Mastra. What a stream brings later replaces it. */
const metadataOf = (
  response: { id?: string; timestamp?: Date; modelId?: string } | undefined,
  { modelId, provider, specificationVersion }: ResolvedModel,
) => ({
  ...response,
  id: response?.id ?? globalThis.crypto.randomUUID(),
  timestamp: response?.timestamp ?? new Date(),
  modelId: response?.modelId ?? modelId,
  modelMetadata: { modelId, modelProvider: provider, modelVersion: specificationVersion },
});

/** The provider specifications differ only in types that the loop passes through. */
type ProviderCall = (options: unknown) => PromiseLike<{
  stream: ReadableStream<unknown>;
  request?: unknown;
  response?: object;
  warnings?: readonly unknown[];
}>;

/** A request for an object: the provider's setting, or instructions in the prompt. */
interface JsonRequest {
  readonly prompt: Prompt;
  readonly responseFormat?: object;
  /** Options that the provider needs to enforce the schema. */
  readonly providerOptions?: Record<string, Record<string, unknown>>;
}

/** Requests the object of a step from a model. No effect without structured output. */
const requestJson = (prompt: Prompt, settings: StepSettings['structuredOutput'], model: ResolvedModel): JsonRequest => {
  const { schema, instructions, ...otherSettings }: Partial<StructuredOutput> = settings ?? {};
  if (!schema) return { prompt };
  const place = placeOf(otherSettings.jsonPromptInjection, model);
  const json = jsonSchemaFor(schema, model);
  if (otherSettings.model) return { prompt: inFirstSystemMessage(prompt, wordsForSecondModel(json)) };
  if (!place)
    return {
      prompt,
      responseFormat: { type: 'json', schema: json },
      ...(isStrict(model) && { providerOptions: { openai: { strictJsonSchema: true } } }),
    };
  const words =
    instructions ?? `Answer with JSON alone, without any other words. It must fit this JSON schema:\n${JSON.stringify(json)}`;
  return { prompt: place === 'inline' ? inLastUserMessage(prompt, words) : inFirstSystemMessage(prompt, words) };
};

/** Another model creates the object from the answer, so the answer needs its content. */
const wordsForSecondModel = (json: object): string =>
  `Another model will turn your answer into data. Answer in your usual form, and include the information for every field of this JSON schema:\n${JSON.stringify(json)}`;

/**
 * Some models reject a prompt that ends with an assistant message: Claude from 4.6 on for structured output, Gemini from 3 on
 * always. For these a short user message is added, for this call only; Mastra's own guard adds the same text.
 */
const withLastUserMessage = ({ prompt, responseFormat }: JsonRequest, { provider, modelId }: ResolvedModel): Prompt => {
  const isGemini = /google|vertex/.test(provider) && isFrom(/gemini-(\d+)/i.exec(modelId ?? ''), [3, 0]);
  const isClaude =
    provider.includes('anthropic') && isFrom(/claude(?:-[a-z]+)*-(\d+)(?:[-.](\d{1,2})(?!\d))?/i.exec(modelId ?? ''), [4, 6]);
  if (prompt.at(-1)?.role !== 'assistant' || !(isGemini || (isClaude && responseFormat))) return prompt;
  const text = responseFormat ? 'Generate the structured response.' : 'Continue.';
  return [...prompt, { role: 'user', content: [{ type: 'text', text }] }];
};

/** True if a model's version is at least the given one, or unknown. */
const isFrom = (version: RegExpExecArray | null, [major, minor]: readonly [number, number]): boolean => {
  if (!version) return true;
  const [own, ownMinor] = [Number(version[1]), Number(version[2] ?? 0)];
  return own > major || (own === major && ownMinor >= minor);
};

const placeOf = (place: StructuredOutput['jsonPromptInjection'], { provider, modelId }: ResolvedModel) => {
  if (place !== 'auto') return place;
  return mastraLlm.modelSupportsStructuredOutput(`${provider.split('.')[0]}/${modelId}`) === true ? undefined : 'inline';
};

const inFirstSystemMessage = (prompt: Prompt, words: string): Prompt => {
  const [first, ...rest] = prompt;
  if (first?.role !== 'system') return [{ role: 'system', content: words }, ...prompt];
  return [{ ...first, content: `${first.content}\n\n${words}` }, ...rest];
};

const inLastUserMessage = (prompt: Prompt, words: string): Prompt => {
  const last = prompt.findLastIndex(({ role }) => role === 'user');
  return prompt.map((message, index) =>
    index === last && message.role === 'user'
      ? { ...message, content: [...message.content, { type: 'text', text: words }] }
      : message,
  );
};

/** The `timeout` of a model's settings, as in Mastra; times in milliseconds. */
interface ModelTimeout extends Pick<ProviderLimits, 'stepMs' | 'firstChunkMs'> {
  /** For a whole run segment. */
  readonly totalMs?: number;
}

/** A provider's call with limits. It ends once one of them is exceeded, even if the provider ignores the signal. */
interface LimitedCall {
  readonly signal: AbortSignal | undefined;
  /** Calls the provider, or calls it again. */
  call<T>(provider: () => PromiseLike<T>): PromiseLike<T>;
  /** Waits before the provider is called again. */
  pause(ms: number): Promise<void>;
  read(source: PartSource): PartSource;
}

/** Limits a call of a model. Exceeded limits reject it with Mastra's `MastraTimeoutError`, and the loop tries the next model. */
const limitCall = (
  { stepMs, firstChunkMs }: ModelTimeout = {},
  { mode, abortSignal }: Pick<ModelRequest, 'mode' | 'abortSignal'>,
): LimitedCall => {
  const limits = { stepMs, firstChunkMs: mode === 'stream' ? firstChunkMs : undefined };
  if (stepMs === undefined && limits.firstChunkMs === undefined)
    return {
      signal: abortSignal,
      call: (provider) => provider(),
      pause: (ms) => sleep(ms, abortSignal),
      read: (source) => source,
    };
  const controller = new AbortController();
  const expire = async (limit: Limit, ms: number): Promise<void> =>
    controller.abort(await timeoutError(limit === 'stepMs' ? 'step' : 'firstChunk', ms));
  const clock = createProviderClock(limits, (limit, ms) => void expire(limit, ms));
  const limited = anySignal([abortSignal, controller.signal]);
  const within = async <T>(work: PromiseLike<T>): Promise<T> => {
    const done = await untilAborted(Promise.resolve(work), limited);
    if (done === undefined) throw limited.reason; // a provider resolves to an object
    return done;
  };
  return {
    signal: limited,
    call: (provider) => {
      clock.restart();
      return clock.wait(() => within(provider()));
    },
    pause: (ms) => clock.pause(() => sleep(ms, limited)),
    read: (source) => clock.read(source, within),
  };
};

/** Waits by the global timer, which an application's tests may replace. Rejects with the signal's reason once it is aborted. */
const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((resolve) => void (timer = setTimeout(resolve, ms)));
  await (signal ? untilAborted(waited, signal) : waited);
  clearTimeout(timer);
  signal?.throwIfAborted();
};

/** A signal that is aborted after some milliseconds; never without a number. `clear` ends the wait. */
export const abortAfter = (ms = Infinity, reason: () => Awaitable<unknown>): { signal: AbortSignal; clear: () => void } => {
  const controller = new AbortController();
  const end = (): void => void whenReady(reason(), (cause) => controller.abort(cause));
  if (ms <= 0) end();
  const timer = ms > 0 && ms <= longestTimerMs ? setTimeout(end, ms).unref() : undefined;
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
};

/** Mastra's error; its module is loaded when it is needed. */
export const timeoutError = async (timeoutType: 'total' | 'step' | 'firstChunk', timeoutMs: number): Promise<Error> => {
  const { MastraTimeoutError } = await import('@mastra/core/loop');
  return new MastraTimeoutError({ timeoutType, timeoutMs });
};
