import type { MessageList } from '@mastra/core/agent/message-list';
import { isStandardSchemaWithJSON, standardSchemaToJSONSchema, toStandardSchema } from '@mastra/core/schema';
import pRetry from 'p-retry';
import type { ResolvedModel } from '../phase/host.js';
import type { ModelRequest, ModelResponse, Prompt, StepSettings } from '../loop/ports.js';
import { mergeOptions } from './merge-options.js';
import { checkModelSettings } from './options.js';
import { providerTools } from './provider-tools.js';

/** Milliseconds before the second try; doubled for each further one. */
const firstRetryDelayMs = 500;

type Settings = Pick<StepSettings, 'modelSettings' | 'providerOptions'>;

/**
 * Makes the function that calls a model. Errors that the provider marks as retryable are tried again here, `maxRetries` times;
 * what is left rejects, and the loop asks the guards.
 *
 * A model's own settings stand over those of the call, as in Mastra; what a guard set for the step stands over both.
 */
export const createModelCall =
  (called: Settings) =>
  async (request: ModelRequest): Promise<ModelResponse> => {
    const { entry, prompt, mode, abortSignal } = request;
    checkModelSettings(request.modelSettings);
    const { modelSettings, providerOptions } = settingsOf(request, called);
    const { maxRetries = entry.maxRetries, headers, ...settings } = modelSettings;
    const options = {
      prompt,
      ...settings,
      ...providerTools(request, entry.model.specificationVersion),
      ...responseFormat(request.structuredOutput),
      providerOptions,
      headers: entry.headers || headers ? { ...entry.headers, ...headers } : undefined,
      abortSignal,
    };
    const call = (mode === 'generate' ? entry.model.doGenerate : entry.model.doStream) as ProviderCall;
    const result = await pRetry(() => call.call(entry.model, options), {
      retries: maxRetries,
      minTimeout: firstRetryDelayMs,
      signal: abortSignal,
      shouldRetry: ({ error }) => (error as { isRetryable?: unknown }).isRetryable === true,
    });
    const { stream, request: sent, response, warnings } = result;
    return { parts: stream, request: sent, response: { ...response, modelMetadata: metadataOf(entry.model) }, warnings };
  };

interface ModelSettings {
  maxRetries?: number;
  headers?: Record<string, string>;
  [setting: string]: unknown;
}

const settingsOf = ({ entry, modelSettings, providerOptions }: ModelRequest, called: Settings) => {
  const own = { modelSettings: entry.modelSettings, providerOptions: entry.providerOptions };
  const merge = (name: keyof Settings, step: unknown) => {
    const layers = step === called[name] ? [{ [name]: step }, { [name]: own[name] }] : [{ [name]: own[name] }, { [name]: step }];
    return mergeOptions(...layers)[name] as ModelSettings | undefined; // one of the two, or both merged
  };
  return {
    modelSettings: merge('modelSettings', modelSettings) ?? {},
    providerOptions: merge('providerOptions', providerOptions),
  };
};

const metadataOf = ({ modelId, provider, specificationVersion }: ResolvedModel) => ({
  modelId,
  modelProvider: provider,
  modelVersion: specificationVersion,
});

/** The provider specifications differ in types that the loop only carries through. */
type ProviderCall = (options: unknown) => PromiseLike<{
  stream: ReadableStream<unknown>;
  request?: unknown;
  response?: object;
  warnings?: readonly unknown[];
}>;

const responseFormat = (structuredOutput: StepSettings['structuredOutput']): object => {
  const schema = (structuredOutput as { schema?: unknown } | undefined)?.schema;
  if (!schema) return {};
  const standard = isStandardSchemaWithJSON(schema) ? schema : toStandardSchema(schema as Parameters<typeof toStandardSchema>[0]);
  return { responseFormat: { type: 'json', schema: standardSchemaToJSONSchema(standard) } };
};

/** The conversation as a model of this specification is to be sent it. */
export const toPrompt = async (list: MessageList, model: ResolvedModel): Promise<Prompt> => {
  const supportedUrls = await model.supportedUrls;
  const options = { supportedUrls, targetProvider: model.provider };
  const { aiV5, aiV6, aiV7 } = list.get.all;
  const view = model.specificationVersion === 'v4' ? aiV7 : model.specificationVersion === 'v3' ? aiV6 : aiV5;
  return view.llmPrompt(options);
};
