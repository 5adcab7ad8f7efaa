import type * as agent from '@mastra/core/agent';
import type * as llm from '@mastra/core/llm';
import type * as observability from '@mastra/core/observability';
import { InterlockError } from '../../errors.js';
import type { Host, ModelChoice, ResolvedModel } from '../../phase/host.js';
import { plainHost, readTripWire } from '../../plain/plain-host.js';
import { createMessagePort } from '../messages/create-message-port.js';

/** The parts of Mastra that a host uses. `createObservabilityContext` is undefined in older versions. */
type MastraParts = Pick<typeof agent, 'MessageList' | 'TripWire' | 'createSignal'> &
  Partial<Pick<typeof observability, 'createObservabilityContext'>>;

/** Mastra as loaded by this program, possibly in the same bundle. */
const loaded: { parts?: MastraParts } = {};

/** Mastra behind the interface of the pure modules. The caller passes the classes, because it has loaded them. */
export const mastraHost = (parts: MastraParts, resolveModel: Host['resolveModel']): Host => {
  loaded.parts = parts;
  const unobserved = parts.createObservabilityContext?.();
  return {
    messages: createMessagePort(parts),
    createTripWire: ({ reason, retry, metadata, processorId }) => new parts.TripWire(reason, { retry, metadata }, processorId),
    readTripWire,
    observe: (context) =>
      (context?.currentSpan ? parts.createObservabilityContext?.(context) : unobserved) ?? { tracingContext: context },
    resolveModel,
  };
};

/** Mastra if it can be loaded, else a plain host: for hooks that are called from outside, where Mastra may not be installed. */
export const installedHost = async (resolveModel: Host['resolveModel'] = resolveInstalled): Promise<Host> => {
  const parts = loaded.parts ?? (await loadMastra());
  return parts ? mastraHost(parts, resolveModel) : plainHost(resolveModel);
};

/** True for a model that can be called without resolution. */
const isModelInstance = (model: ModelChoice): model is ModelChoice & ResolvedModel =>
  typeof model === 'object' && 'specificationVersion' in model;

/** Resolves a model outside an agent: ids and configs through Mastra's model router; instances are returned unchanged. */
export const resolveAlone = (model: ModelChoice, path: string, Router: typeof llm.ModelRouterLanguageModel): ResolvedModel => {
  if (isModelInstance(model)) return model;
  try {
    return new Router(model as ConstructorParameters<typeof llm.ModelRouterLanguageModel>[0]); // an id, or a config
  } catch (cause) {
    throw new InterlockError('agent/model-unresolved', {
      path,
      detail: typeof model === 'string' ? `"${model}".` : undefined,
      cause,
    });
  }
};

/** {@link resolveAlone} with the router of the installed Mastra. Rejects if there is none. */
const resolveInstalled = async (model: ModelChoice, path: string): Promise<ResolvedModel> => {
  if (isModelInstance(model)) return model;
  const { ModelRouterLanguageModel } = (await importUntransformed('@mastra/core/llm')) as typeof llm;
  return resolveAlone(model, path, ModelRouterLanguageModel);
};

/** The parts of the installed Mastra. Undefined if `@mastra/core` is not installed. */
const loadMastra = async (): Promise<MastraParts | undefined> => {
  try {
    const { createSignal, MessageList, TripWire } = (await importUntransformed('@mastra/core/agent')) as typeof agent;
    return { createSignal, MessageList, TripWire };
  } catch {
    return undefined;
  }
};

/**
 * Imports modules that only applications with Mastra have. Bundlers cannot follow the computed path, so guards also run without
 * Mastra.
 */
const importUntransformed = (path: string): Promise<unknown> =>
  import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ path);
