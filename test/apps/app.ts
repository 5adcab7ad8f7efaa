import type { Agent } from '@mastra/core/agent';
import type { Mastra } from '@mastra/core/mastra';
import type { ObservabilityEntrypoint } from '@mastra/core/observability';
import type { LibSQLStore } from '@mastra/libsql';

import type { Clients, Reply } from './provider-server.js';

/** The outside requirements of an application. */
export interface Surroundings extends Clients {
  /** The class of its agents: the one replaced import. */
  readonly Agent: typeof Agent;
  readonly storage: LibSQLStore;
  readonly observability: ObservabilityEntrypoint;
}

/** A message, or the messages of a client. */
export type Turn = string | readonly object[];

/** The conversation with one of its agents. */
export interface Talk {
  readonly agent: string;
  /** The turns of one thread: `stream` first, then `generate`, in turns. */
  readonly turns: readonly Turn[];
  /** Without it, no thread. */
  readonly memory?: boolean;
  /** Approves the first call that waits after each turn. */
  readonly approves?: boolean;
  /** Options of each call. */
  readonly options?: object;
}

/** An application written for Mastra, the output of its models, and the actions of its users. */
export interface App {
  readonly create: (surroundings: Surroundings) => Mastra | Promise<Mastra>;
  readonly reply: Reply;
  /** Whether its requests have no fixed order. */
  readonly isParallel?: boolean;
  readonly talks: readonly Talk[];
  /** Workflows with their input, and the data with which they are resumed. */
  readonly workflows?: readonly { readonly workflow: string; readonly input: object; readonly resume?: object }[];
}
