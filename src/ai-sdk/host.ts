import { gateway, type LanguageModel } from 'ai';
import type { Host, ModelChoice, ResolvedModel } from '../phase/host.js';
import { createHost } from '../mastra/workflow/host.js';
import { InterlockError } from '../errors.js';

/** A model that can be wrapped. */
export type ModelInstance = Exclude<LanguageModel, string>;

/**
 * A model as an instance: ids go to the application's default provider, else to the AI SDK's gateway, as in the AI SDK itself.
 */
export const instanceOf = (model: LanguageModel): ModelInstance => {
  if (typeof model !== 'string') return model;
  const provider = globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway;
  return provider.languageModel(model);
};

const resolveModel = (model: ModelChoice): ResolvedModel => {
  if (typeof model === 'string') return instanceOf(model) as unknown as ResolvedModel; // an instance of one of the specifications
  if (typeof model === 'object' && 'specificationVersion' in model) return model as ResolvedModel;
  throw new InterlockError('agent/model-unresolved', { detail: 'the AI SDK takes model instances and ids.' });
};

/** The AI SDK as the pure rooms see it: Mastra's messages and tripwires, for those are what processors are written for. */
export const aiSdkHost: Host = createHost(resolveModel);
