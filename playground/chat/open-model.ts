import type { MastraModelConfig } from '@mastra/core/llm';
import { startResponder } from '../responder/responder.js';
import { openAICompatible, type Provider } from './provider.js';

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
