import type { ModelRouterLanguageModel } from '@mastra/core/llm';
import { InterlockError } from '../../errors.js';
import type { ModelChoice, ResolvedModel } from '../../phase/host.js';

/** True for a model that can be called without resolution. */
export const isModelInstance = (model: ModelChoice): model is ModelChoice & ResolvedModel =>
  typeof model === 'object' && 'specificationVersion' in model;

/** Resolves a model outside an agent: ids and configs through Mastra's model router; instances are returned unchanged. */
export const resolveAlone = (model: ModelChoice, Router: typeof ModelRouterLanguageModel): ResolvedModel => {
  if (isModelInstance(model)) return model;
  try {
    return new Router(model as ConstructorParameters<typeof ModelRouterLanguageModel>[0]); // an id, or a config
  } catch (cause) {
    throw new InterlockError('agent/model-unresolved', { detail: typeof model === 'string' ? `"${model}".` : undefined, cause });
  }
};
