import type { MastraModelConfig } from '@mastra/core/llm';
import { startResponder } from '../responder/responder.js';
import { openAICompatible, type Provider } from './provider.js';

/** An opened model, ready for calls. */
export interface OpenedModel {
  readonly model: MastraModelConfig;
  /** Nothing for the embedded responder. */
  readonly name: string | undefined;
  close(): Promise<void>;
}

/** Opens the model of a provider; where none is configured, the embedded responder is started. */
export const openModel = async (provider: Exclude<Provider, { kind: 'wrong' }>): Promise<OpenedModel> => {
  if (provider.kind === 'model') return { ...provider, close: async () => undefined };
  const { baseUrl, model, close } = await startResponder();
  return { model: openAICompatible({ url: baseUrl, id: model }), name: undefined, close };
};
