import type { ModelRouterLanguageModel } from '@mastra/core/llm';
import { InterlockError } from '../../errors.js';
import type { ModelChoice, ResolvedModel } from '../../phase/host.js';

/** Whether a model is ready to be called. */
export const isModelInstance = (model: ModelChoice): model is ModelChoice & ResolvedModel =>
  typeof model === 'object' && 'specificationVersion' in model;

/** Outside an agent: ids and configs go to Mastra's model router, instances are taken as they are. */
export const resolveAlone = (model: ModelChoice, Router: typeof ModelRouterLanguageModel): ResolvedModel => {
  if (isModelInstance(model)) return model;
  try {
    return new Router(model as ConstructorParameters<typeof ModelRouterLanguageModel>[0]); // an id, or a config
  } catch (cause) {
    throw new InterlockError('agent/model-unresolved', { detail: typeof model === 'string' ? `"${model}".` : undefined, cause });
  }
};
