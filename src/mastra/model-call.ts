import type { MessageList } from '@mastra/core/agent/message-list';
import { isStandardSchemaWithJSON, standardSchemaToJSONSchema, toStandardSchema } from '@mastra/core/schema';
import pRetry from 'p-retry';
import type { ResolvedModel } from '../phase/host.js';
import type { ModelRequest, ModelResponse, Prompt, StepSettings } from '../loop/ports.js';
import { providerTools } from './provider-tools.js';

/** Milliseconds before the second try; doubled for each further one. */
const firstRetryDelayMs = 500;

/**
 * Calls a model. Errors that the provider marks as retryable are tried again here, `maxRetries` times; what is left rejects,
 * and the loop asks the guards.
 */
export const callModel = async (request: ModelRequest): Promise<ModelResponse> => {
  const { entry, prompt, mode, abortSignal, providerOptions, modelSettings } = request;
  const { maxRetries = entry.maxRetries, headers, timeout: _timeout, ...settings } = { ...entry.modelSettings, ...modelSettings } as ModelSettings;
  const options = {
    prompt,
    ...settings,
    ...providerTools(request, entry.model.specificationVersion),
    ...responseFormat(request.structuredOutput),
    providerOptions: { ...entry.providerOptions, ...providerOptions },
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
  return { parts: stream, request: sent, response, warnings };
};

interface ModelSettings {
  maxRetries?: number;
  headers?: Record<string, string>;
  timeout?: unknown;
  [setting: string]: unknown;
}

/** The provider specifications differ in types that the loop only carries through. */
type ProviderCall = (options: unknown) => PromiseLike<{
  stream: ReadableStream<unknown>;
  request?: unknown;
  response?: unknown;
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
  return (await view.llmPrompt(options)) as Prompt;
};
