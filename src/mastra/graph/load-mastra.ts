import type * as agent from '@mastra/core/agent';
import type * as list from '@mastra/core/agent/message-list';
import type * as llm from '@mastra/core/llm';
import type { MastraParts } from './mastra-host.js';

/**
 * Imports modules that only applications with Mastra have. Bundlers cannot follow the computed path, so guards also run without
 * Mastra.
 */
const importUntransformed = (path: string): Promise<unknown> =>
  import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ path);

/** Mastra as loaded by this program, possibly in the same bundle. */
const loaded: { parts?: MastraParts } = {};

export const registerMastra = (parts: MastraParts): void => {
  loaded.parts = parts;
};

/** Loads the parts of Mastra that a host needs. Undefined if `@mastra/core` is not installed. */
export const loadMastra = async (): Promise<MastraParts | undefined> => {
  if (loaded.parts) return loaded.parts;
  try {
    const { createSignal, TripWire } = (await importUntransformed('@mastra/core/agent')) as typeof agent;
    const { MessageList } = (await importUntransformed('@mastra/core/agent/message-list')) as typeof list;
    return { createSignal, TripWire, MessageList };
  } catch {
    return undefined;
  }
};

/** Loads Mastra's model router. Rejects if `@mastra/core` is not installed. */
export const loadRouter = async (): Promise<typeof llm.ModelRouterLanguageModel> => {
  const { ModelRouterLanguageModel } = (await importUntransformed('@mastra/core/llm')) as typeof llm;
  return ModelRouterLanguageModel;
};
