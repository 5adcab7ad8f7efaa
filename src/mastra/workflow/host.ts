import { TripWire } from '@mastra/core/agent';
import { ModelRouterLanguageModel } from '@mastra/core/llm';
import { InterlockError } from '../../errors.js';
import type { Host, ModelChoice, ResolvedModel } from '../../phase/host.js';
import type { Awaitable } from '../../phase/awaitable.js';
import { messagePort } from '../messages/message-port.js';

/** Mastra as the pure rooms see it. An agent resolves models its own way, with its gateways and keys. */
export const createHost = (resolveModel: (model: ModelChoice) => Awaitable<ResolvedModel> = resolveAlone): Host => ({
  messages: messagePort,
  createTripWire: ({ reason, retry, metadata, processorId }) => new TripWire(reason, { retry, metadata }, processorId),
  readTripWire: (error) =>
    error instanceof TripWire ? { reason: error.message, ...error.options, processorId: error.processorId } : undefined,
  resolveModel,
});

/** Outside an agent: ids and configs go to Mastra's model router, instances are taken as they are. */
const resolveAlone = (model: ModelChoice): ResolvedModel => {
  if (typeof model === 'object' && 'specificationVersion' in model) return model as ResolvedModel;
  try {
    return new ModelRouterLanguageModel(model);
  } catch (cause) {
    throw new InterlockError('agent/model-unresolved', { detail: typeof model === 'string' ? `"${model}".` : undefined, cause });
  }
};
