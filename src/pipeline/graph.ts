import type { Processor } from '@mastra/core/processors';

import { patternOf, type Window, type WindowedProcessor } from '../guard/pattern.js';
import type { GuardPolicy, GuardWindow } from '../guard/policy/guard-policy.js';
import type { GuardTraits } from '../guard/traits.js';
import type { Phase, PhaseData, PhaseRow } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import type { Verdict } from '../verdict.js';
import type { OverlapRule } from './overlap.js';

/** The key of a context's scope. */
export const scopeOfContext: unique symbol = Symbol('scope');

/** The argument of a condition or a map: the payload, under its name in a Mastra workflow. */
export interface StepContext<Input = PhaseData> {
  readonly inputData: Input;
  readonly requestContext: RunScope['requestContext'];
  readonly runId: string | undefined;
  /** @internal For functions of workflows made with Mastra's builder. */
  readonly [scopeOfContext]?: RunScope;
}

/** The payload of any phase. A field that its phase does not have is undefined, so that a condition may read it without narrowing. */
export type AnyPayload = PhaseData extends infer Data
  ? Data extends PhaseData
    ? Data & Absent<Exclude<FieldName, keyof Data>>
    : never
  : never;

type FieldName = PhaseData extends infer Data ? (Data extends PhaseData ? keyof Data : never) : never;
type Absent<Name extends PropertyKey> = { readonly [Key in Name]?: undefined };

/** The condition of a branch's case; gets the phase payload. */
export type Condition = (context: StepContext<AnyPayload>) => boolean | Promise<boolean>;

/** Runs over any phase's payload: returns the payload to continue with, or undefined to leave it as it is. */
export type PayloadFunction = (payload: PhaseData, scope: RunScope) => unknown;

export interface GuardNode {
  readonly kind: 'guard';
  readonly id: string;
  readonly processor: Processor;
  /**
   * The policy around it, if any. A policy's state across runs (its breaker, its queue, its cache) belongs to this object: nodes that
   * share it share that state.
   */
  readonly policy?: GuardPolicy;
  /** The agent's window, for a guard without its own. */
  readonly window?: GuardWindow;
  /** Whether its reports contain its changes. Default: no. */
  readonly recordsEdits?: true;
  /** Facts about its processor, besides its hooks. */
  readonly traits?: GuardTraits;
}

export interface FunctionNode {
  readonly kind: 'function';
  readonly id: string;
  readonly run: PayloadFunction;
  /** The phases that it applies to; default all. */
  readonly phases?: ReadonlySet<string>;
  /** Whether its functions may use the workflow that contains them. */
  readonly needsFrame?: true;
}

/** The input of a map: the payload. After a parallel block or a branch it also has the merged payload under the id of each step. */
export type MapInput = AnyPayload & { readonly [step: `processor:${string}`]: AnyPayload };

/** A hand-written `.map()`. */
export interface MapNode {
  readonly kind: 'map';
  readonly id: string;
  readonly run: (context: StepContext<unknown>) => unknown;
  /** Whether its functions may use the workflow that contains them. */
  readonly needsFrame?: true;
}

export interface ParallelNode {
  readonly kind: 'parallel';
  readonly nodes: readonly GraphNode[];
  /** The rule for two branches that edit the same words. */
  readonly overlap: OverlapRule;
  /** The handling of a pass on a payload that a sibling changed. Default `'report'`. */
  readonly staleVerdicts?: StaleVerdicts;
}

export interface BranchNode {
  readonly kind: 'branch';
  readonly arms: readonly { readonly when: Condition; readonly node: GraphNode }[];
  readonly overlap: OverlapRule;
  readonly staleVerdicts?: StaleVerdicts;
  /** Whether its functions may use the workflow that contains them. */
  readonly needsFrame?: true;
}

/**
 * The handling of a stale verdict: a branch passed the payload unchanged, and a sibling edited it, so that the guard has not
 * judged the merged payload.
 *
 * - `report`: the verdict counts, and the run's events report it
 * - `rerun`: the guard judges the merged payload once, and that verdict counts
 */
export type StaleVerdicts = 'report' | 'rerun';

export interface SequenceNode {
  readonly kind: 'sequence';
  readonly id: string;
  readonly nodes: readonly GraphNode[];
}

/** A pipeline as data: the builder's output, and the source of plans, workflows and pictures. */
export type GraphNode = GuardNode | FunctionNode | MapNode | ParallelNode | BranchNode | SequenceNode;

/** A compiled pipeline: for each phase one flat function over the guards that have its hook. */
export interface Plan {
  readonly id: string;
  readonly graph: SequenceNode;
  /** Whether any guard runs in a phase. */
  has(phase: Phase): boolean;
  /** Runs one phase. Never throws: a failure inside is a verdict. */
  run<P extends Phase>(phase: P, data: PhaseData<P>, scope: RunScope): Verdict<PhaseData<P>> | Promise<Verdict<PhaseData<P>>>;
}

/** The last case of a branch: it runs only if no other case's condition holds. */
export const otherwise: Condition = () => true;

/** The direct children of a node. */
export const childrenOf = (node: GraphNode): readonly GraphNode[] => {
  switch (node.kind) {
    case 'guard':
    case 'function':
    case 'map':
      return [];
    case 'parallel':
    case 'sequence':
      return node.nodes;
    case 'branch':
      return node.arms.map((arm) => arm.node);
    default:
      return node satisfies never;
  }
};

/** The graph with each guard replaced; all other nodes keep their kinds and names. */
export const mapGuards = (node: GraphNode, change: (guard: GuardNode) => GraphNode): GraphNode => {
  const changed = (inner: GraphNode): GraphNode => mapGuards(inner, change);
  switch (node.kind) {
    case 'guard':
      return change(node);
    case 'function':
    case 'map':
      return node;
    case 'parallel':
    case 'sequence':
      return { ...node, nodes: node.nodes.map(changed) };
    case 'branch':
      return { ...node, arms: node.arms.map((arm) => ({ ...arm, node: changed(arm.node) })) };
    default:
      return node satisfies never;
  }
};

/** A node's part of a path: its id, or its kind and index. */
export const nameOf = (node: GraphNode, index: number): string => ('id' in node ? node.id : `${node.kind}.${index}`);

/** All processors of a graph, in their written order. */
export const processorsOf = (node: GraphNode): Processor[] =>
  node.kind === 'guard' ? [node.processor] : childrenOf(node).flatMap(processorsOf);

/** Whether a node has anything to do in a phase; a map alone guards nothing. */
export const hasHookFor = (node: GraphNode, row: Pick<PhaseRow, 'phase' | 'hook'>): boolean => {
  if (node.kind === 'guard') return typeof node.processor[row.hook] === 'function';
  if (node.kind === 'function') return node.phases?.has(row.phase) !== false;
  return childrenOf(node).some((inner) => hasHookFor(inner, row));
};

/** The text of a function without parameters that returns a constant boolean, as written or minified. */
const constant = /^(?:async\s*)?\(\)\s*=>\s*(true|false|!0|!1)$/;

const constantOf = (when: unknown): string | undefined => constant.exec(String(when))?.[1];

/** Whether a condition always holds: `otherwise`, or a function that only returns `true`. */
export const isAlways = (when: unknown): boolean => ['true', '!0'].includes(constantOf(when) ?? '');

/** Whether a condition never holds: a function that only returns `false`. */
export const isNever = (when?: Condition): boolean => ['false', '!1'].includes(constantOf(when) ?? '');

/** Whether a condition has the same result for any input. */
export const isConstant = (when: Condition): boolean => constantOf(when) !== undefined;

/** The window of guards of the stream that name none: a value that is split over two chunks must be seen whole. */
export const defaultWindow: GuardWindow = 'sentence';

/**
 * The window of a guard: its policy's, its processor's, or the agent's. A pattern remains one under a policy's window, and may hold the
 * part.
 */
export const windowOf = ({ processor, policy, window: ofAgent = defaultWindow }: GuardNode): Window => {
  const pattern = patternOf(processor);
  const window = policy?.window;
  const { window: own }: WindowedProcessor = processor;
  if (!pattern) return window ?? own ?? ofAgent;
  return { pattern: window === 'part' || window === 'step' ? { ...pattern, maxLength: 'part', open: undefined } : pattern };
};
