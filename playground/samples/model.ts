import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { defaultGateways, getProviderConfig, type MastraModelConfig } from '@mastra/core/llm';
import { startResponder } from '../responder/responder.js';

/** The provider of the model. */
export type Provider =
  | { readonly kind: 'model'; readonly name: string; readonly model: MastraModelConfig }
  | { readonly kind: 'responder' }
  | { readonly kind: 'wrong'; readonly message: string };

type Environment = Readonly<Record<string, string | undefined>>;

const wrong = (message: string): Provider => ({ kind: 'wrong', message });

/** Reads the provider from the environment. Reports invalid settings before anything runs. */
export const readProvider = (env: Environment): Provider => {
  const url = env['INTERLOCK_BASE_URL']?.trim() || undefined;
  const id = env['INTERLOCK_MODEL']?.trim() || undefined;
  const apiKey = env['INTERLOCK_API_KEY']?.trim() || undefined;
  if (url && !id) return wrong('INTERLOCK_BASE_URL is set, but no model: set INTERLOCK_MODEL to a model of that endpoint.');
  if (url && id) return endpoint({ url, id, apiKey });
  if (id) return routed(id, apiKey, env);
  if (apiKey) return wrong('INTERLOCK_API_KEY is set, but no model: set INTERLOCK_MODEL, and INTERLOCK_BASE_URL if needed.');
  return { kind: 'responder' };
};

const endpoint = ({ url, id, apiKey }: { url: string; id: string; apiKey: string | undefined }): Provider => {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    return wrong(`INTERLOCK_BASE_URL is not an http or https address: "${url}".`);
  return { kind: 'model', name: `${id} at ${url}`, model: openAICompatible({ url, id, apiKey }) };
};

/** A model behind an OpenAI-compatible endpoint, with usage in its responses. */
const openAICompatible = ({ url, id, apiKey }: { url: string; id: string; apiKey?: string }): MastraModelConfig =>
  // The AI SDK's model type is one finish reason ("interrupted") ahead of Mastra's.
  createOpenAICompatible({ name: 'endpoint', baseURL: url, apiKey, includeUsage: true }).chatModel(id) as MastraModelConfig;

/** An id of Mastra's model router: `provider/model`, or `gateway/provider/model`. */
const routed = (id: string, apiKey: string | undefined, env: Environment): Provider => {
  const [provider = '', ...rest] = id.split('/');
  if (provider === '' || rest.join('/') === '')
    return wrong(`INTERLOCK_MODEL is "${id}": without INTERLOCK_BASE_URL it must be a router id, such as openai/gpt-4.1-mini.`);
  const isGateway = defaultGateways.some((gateway) => gateway.id === provider);
  const config = getProviderConfig(provider);
  if (!config && !isGateway) return wrong(`INTERLOCK_MODEL is "${id}": Mastra's model router has no provider "${provider}".`);
  const missing = apiKey ? [] : [config?.apiKeyEnvVar ?? []].flat().filter((name) => !env[name]);
  if (missing.length > 0) return wrong(`INTERLOCK_MODEL is "${id}", and its key is missing: set ${missing.join(' and ')}.`);
  return { kind: 'model', name: id, model: { id: id as `${string}/${string}`, ...(apiKey && { apiKey }) } };
};

/** An opened model, ready for calls. */
export interface OpenedModel {
  readonly model: MastraModelConfig;
  /** Undefined for the embedded responder. */
  readonly name: string | undefined;
  close(): Promise<void>;
}

/** Opens the model of a provider; without a configured one, starts the embedded responder. */
export const openModel = async (provider: Exclude<Provider, { kind: 'wrong' }>): Promise<OpenedModel> => {
  if (provider.kind === 'model') return { ...provider, close: async () => undefined };
  const { baseUrl, model, close } = await startResponder();
  return { model: openAICompatible({ url: baseUrl, id: model }), name: undefined, close };
};
