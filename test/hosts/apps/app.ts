import type { Agent } from '@mastra/core/agent';
import type { Mastra } from '@mastra/core/mastra';
import type { LibSQLStore } from '@mastra/libsql';

import type { ChatRequest, Reply } from '../../../src/testing/index.js';

/** The outside requirements of an application. */
export interface Surroundings {
  /** The class of its agents: the one replaced import. */
  readonly AgentClass: typeof Agent;
  /** A model behind an OpenAI-compatible server. */
  readonly model: { readonly providerId: string; readonly modelId: string; readonly url: string; readonly apiKey: string };
  readonly storage: LibSQLStore;
  /** An empty folder. */
  readonly folder: string;
}

/** An application written for Mastra, and the output of its model. */
export interface App {
  readonly create: (surroundings: Surroundings) => Promise<Mastra>;
  readonly reply: (request: ChatRequest) => Reply;
}
