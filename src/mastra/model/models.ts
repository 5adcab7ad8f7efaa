import type { Agent } from '@mastra/core/agent';
import * as mastraLlm from '@mastra/core/llm';
import type { MastraModelConfig } from '@mastra/core/llm';
import type { RequestContext } from '@mastra/core/request-context';
import { InterlockError } from '../../errors.js';
import type { ModelEntry } from '../../loop/ports.js';
import type { ResolvedModel } from '../../phase/host.js';
import { throwFaults } from '../../option-kind.js';
import { fieldsIn } from '../../phase/plain-data.js';
import { withStandIns } from '../stand-ins.js';
import { modelSettingsFaults } from '../options/mastra-options.js';

/** Default number of retries for errors that the provider marks as retryable. */
const defaultModelRetries = 2;

/** The caller for which models are resolved. */
interface ModelRequestor {
  readonly agent: Agent;
  readonly requestContext: RequestContext;
  /** The agent's `maxRetries`. Undefined if not configured. */
  readonly maxRetries?: number;
}

type Resolve<T> = T | ((call: object) => T | Promise<T>) | undefined;

/** An entry of a fallback array, in the author's form or that of Mastra's agent. */
interface FallbackEntry {
  model: unknown;
  maxRetries?: number;
  maxRetriesConfigured?: boolean;
  enabled?: boolean;
  headers?: Resolve<Record<string, string>>;
  modelSettings?: Resolve<object>;
  providerOptions?: Resolve<object>;
}

/**
 * The models of a call in the order of fallback: the call's own, else the agent's. Functions are called once. Raises
 * `agent/model-unresolved` and `phase/unsupported-model`, before any model is called.
 */
export const resolveModels = async (by: ModelRequestor, model: unknown): Promise<ModelEntry[]> => {
  const own: unknown = by.agent.model;
  const selection = await resolveDynamic(by, model ?? own);
  if (!Array.isArray(selection)) return [await resolveEntry(by, { model: selection })];
  const entries: FallbackEntry[] = selection;
  const enabled = entries.filter(({ enabled: isEnabled = true }) => isEnabled);
  if (enabled.length === 0) {
    const detail =
      selection.length > 0 ? 'No enabled models found in model list.' : 'Dynamic function returned empty model array.';
    throw new InterlockError('agent/model-unresolved', { path: 'model', detail });
  }
  return Promise.all(enabled.map((entry) => resolveEntry(by, entry)));
};

const resolveEntry = async (by: ModelRequestor, entry: FallbackEntry): Promise<ModelEntry> => {
  const { maxRetriesConfigured = entry.maxRetries !== undefined } = entry;
  const maxRetries = maxRetriesConfigured ? entry.maxRetries : by.maxRetries;
  const [model, headers, modelSettings, providerOptions] = await Promise.all([
    resolveDynamic(by, entry.model).then((config) => resolveModel(by, config)),
    resolveDynamic(by, entry.headers),
    resolveDynamic(by, entry.modelSettings),
    resolveDynamic(by, entry.providerOptions),
  ]);
  throwFaults(modelSettingsFaults(modelSettings));
  return {
    model,
    maxRetries: defaultModelRetries,
    headers,
    modelSettings: { ...modelSettings, ...(maxRetries !== undefined && { maxRetries }) },
    providerOptions,
  };
};

const resolveDynamic = async <T>({ agent, requestContext }: ModelRequestor, value: T | Resolve<T>): Promise<T | undefined> =>
  typeof value === 'function'
    ? await (value as (call: object) => T | Promise<T>)({ requestContext, mastra: agent.getMastraInstance() })
    : value;

/**
 * Resolves a model: instances are wrapped, ids and configs go to Mastra's router with the gateways of its instance. Raises
 * `agent/model-unresolved` and `phase/unsupported-model`.
 */
export const resolveModel = async (by: ModelRequestor, config: unknown, path = 'model'): Promise<ResolvedModel> => {
  const { agent, requestContext } = by;
  try {
    const model = await agent.getModel({ requestContext, modelConfig: config as MastraModelConfig });
    if (model.specificationVersion === 'v1') throw new InterlockError('phase/unsupported-model', { path, detail: legacy });
    if (!('gatewayId' in model) || model.gatewayId !== registry) return model;
    return await checkKey(agent, config).then(
      () => model,
      (cause: unknown) => failingModel(model, unresolved(config, path, cause)),
    );
  } catch (cause) {
    throw cause instanceof InterlockError ? cause : unresolved(config, path, cause);
  }
};

const unresolved = (config: unknown, path: string, cause: unknown): InterlockError =>
  new InterlockError('agent/model-unresolved', { path, detail: detailOf(config, cause), cause });

/** A model that fails when it is called, as Mastra's does: a stream then has an error part, and the next model of a list is called. */
const failingModel = <M extends object>(model: M, error: InterlockError): M => {
  const fail = () => () => Promise.reject(error);
  return withStandIns(model, { doGenerate: fail, doStream: fail });
};

const registry = 'models.dev';
const legacy =
  'Only v2/v3 models are allowed when an array of models is provided, and by generate and stream; call generateLegacy or streamLegacy for a v1 model.';

/** Checks the provider's key. It reads the environment. */
const checkKey = async (agent: Agent, config: unknown): Promise<void> => {
  const router: RouterConfig = typeof config === 'string' ? { id: config } : (config as RouterConfig);
  if ('specificationVersion' in router || router.url || router.apiKey) return;
  const own = Object.values(agent.getMastraInstance()?.listGateways() ?? {});
  const gateway = [...own, ...mastraLlm.defaultGateways].find(({ id }) => id === registry);
  await gateway?.getApiKey(router.id ?? `${router.providerId}/${router.modelId}`);
};

interface RouterConfig {
  id?: string;
  providerId?: string;
  modelId?: string;
  url?: string;
  apiKey?: string;
}

const detailOf = (config: unknown, cause: unknown): string | undefined => {
  const name = typeof config === 'string' ? `"${config}"` : (config as RouterConfig | undefined)?.id;
  return [name, reasonOf(cause)].filter(Boolean).join(': ') || undefined;
};

/** Mastra wraps the original error, and stores its message in the details. */
const reasonOf = (cause: unknown): string | undefined => {
  const { originalError } = fieldsIn(fieldsIn(cause)['details']);
  if (typeof originalError === 'string') return originalError;
  return cause instanceof Error ? cause.message : undefined;
};
