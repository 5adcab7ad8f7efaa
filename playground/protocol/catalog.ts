import type { Finding } from '../../src/pipeline/verify/checks.js';

/** A row of the phase table for pages, so that no page refers to a phase by name. */
export interface PhaseInfo {
  readonly phase: string;
  readonly hook: string;
  readonly title: string;
  readonly cadence: string;
  readonly lane: string;
  readonly retryLeadsTo: string;
  /** The state of the loop in which its guards judge. */
  readonly loopState: string;
}

/** A state of the loop's statechart. */
export interface StateInfo {
  /** A dotted path, as in run events. */
  readonly path: string;
  readonly parent: string | undefined;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final';
  readonly isInitial: boolean;
}

export interface TransitionInfo {
  readonly from: string;
  readonly to: string;
  readonly event: string;
  readonly guard: string | undefined;
}

export interface AgentInfo {
  readonly id: string;
  readonly name: string;
  readonly kind: 'interlock' | 'ai-sdk' | 'mastra';
  readonly model: string;
  /** Ids of its pipelines, by array. */
  readonly pipelines: Readonly<Record<string, string>>;
  /** Example inputs with their effects; for the sample agents. */
  readonly examples: readonly { readonly text: string; readonly shows: string }[];
  /** Its tools that are known without a request, those of its sub-agents included, and whether a call waits for a person. */
  readonly tools: readonly { readonly name: string; readonly approval: 'always' | 'depends' | 'never' }[];
  /** The limits of its recorded runs; for agents of the kind `mastra`. */
  readonly note?: string;
}

/** A pipeline's graph as data: the library's graph without its functions. */
export type GraphShape =
  | {
      readonly kind: 'guard';
      readonly id: string;
      readonly path: string;
      readonly phases: readonly string[];
      readonly policy?: object;
      /** The author's description. */
      readonly description?: string;
      /** The amount of a stream that it judges at once, e.g. `each sentence`; undefined if it judges no stream. */
      readonly judges?: string;
    }
  | { readonly kind: 'function' | 'map'; readonly id: string; readonly path: string }
  | { readonly kind: 'parallel'; readonly path: string; readonly overlap: string; readonly nodes: readonly GraphShape[] }
  | { readonly kind: 'sequence'; readonly id: string; readonly path: string; readonly nodes: readonly GraphShape[] }
  | {
      readonly kind: 'branch';
      readonly path: string;
      readonly overlap: string;
      readonly arms: readonly { readonly condition: string; readonly node: GraphShape }[];
    };

export interface PipelineInfo {
  readonly id: string;
  readonly name: string;
  /** The phases that any of its guards covers, in the table's order. */
  readonly phases: readonly string[];
  /** Ids of the agents that use it. */
  readonly usedBy: readonly string[];
  readonly graph: GraphShape;
  readonly findings: readonly Finding[];
}

/** `GET /api/catalog`: everything that does not change while the server runs. */
export interface Catalog {
  readonly version: string;
  readonly phases: readonly PhaseInfo[];
  readonly machine: { readonly states: readonly StateInfo[]; readonly transitions: readonly TransitionInfo[] };
  readonly agents: readonly AgentInfo[];
  readonly pipelines: readonly PipelineInfo[];
}

/** `GET /api/schemas`: JSON Schemas for forms, which few pages have. */
export interface FormSchemas {
  /** Of the payload of each phase. */
  readonly phases: Readonly<Record<string, object>>;
  /** Of the policy of a guard. */
  readonly policy: object;
  /** Of the options of built-in guards, by name. */
  readonly ready: Readonly<Record<string, object>>;
}
