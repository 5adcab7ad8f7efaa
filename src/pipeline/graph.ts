import type { Processor } from '@mastra/core/processors';
import { InterlockError } from '../errors.js';
import type { PhaseData } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import { phaseNames, phases } from '../phase/table.js';
import type { OverlapRule } from './overlap.js';

/** What a condition or a map is given: the payload under the name it has in a Mastra workflow. */
export interface StepContext<Input = PhaseData> {
  readonly inputData: Input;
  readonly requestContext: RunScope['requestContext'];
  readonly runId: string | undefined;
}

/** Decides over a branch's arm; sees the phase payload. */
export type Condition = (context: StepContext) => boolean | Promise<boolean>;

/** Runs over any phase's payload: returns the payload to go on with, or nothing to leave it as it is. */
export type PayloadFunction = (payload: PhaseData, scope: RunScope) => unknown;

export interface GuardNode {
  readonly kind: 'guard';
  readonly id: string;
  readonly processor: Processor;
}

export interface FunctionNode {
  readonly kind: 'function';
  readonly id: string;
  readonly run: PayloadFunction;
}

/** A hand-written `.map()`; after a parallel block or a branch its input is keyed by step id. */
export interface MapNode {
  readonly kind: 'map';
  readonly id: string;
  readonly run: (context: StepContext<unknown>) => unknown;
}

export interface ParallelNode {
  readonly kind: 'parallel';
  readonly nodes: readonly GraphNode[];
  /** Who wins where two branches edit the same words. */
  readonly overlap: OverlapRule;
}

export interface BranchNode {
  readonly kind: 'branch';
  readonly arms: readonly { readonly when: Condition; readonly node: GraphNode }[];
  readonly overlap: OverlapRule;
}

export interface SequenceNode {
  readonly kind: 'sequence';
  readonly id: string;
  readonly nodes: readonly GraphNode[];
}

/** A pipeline as data: what the builder makes, and what plans, workflows and pictures are made from. */
export type GraphNode = GuardNode | FunctionNode | MapNode | ParallelNode | BranchNode | SequenceNode;

/** An arm that always matches, for the end of a branch. */
export const otherwise: Condition = () => true;

/** The nodes right inside a node. */
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

/** All processors of a graph, in the order in which they are written. */
export const processorsOf = (node: GraphNode): Processor[] =>
  node.kind === 'guard' ? [node.processor] : childrenOf(node).flatMap(processorsOf);

/** Whether a processor implements any hook of the table. */
export const hasAnyHook = (processor: Processor): boolean =>
  phaseNames.some((phase) => typeof processor[phases[phase].hook] === 'function');

/** Refuses what a person can get wrong in any pipeline: ids and processors that do nothing. */
export const checkGraph = (graph: SequenceNode): SequenceNode => {
  if (!graph.id) throw new InterlockError('pipeline/missing-id', { path: 'pipeline' });
  if (graph.nodes.length === 0) throw new InterlockError('pipeline/empty', { path: graph.id });
  const seen = new Map<string, Processor>();
  for (const processor of processorsOf(graph)) {
    checkProcessor(processor, graph.id);
    if (seen.has(processor.id))
      throw new InterlockError('pipeline/duplicate-id', { path: `${graph.id}/${processor.id}`, detail: `"${processor.id}".` });
    seen.set(processor.id, processor);
  }
  return graph;
};

/** Refuses a processor without an id or without any hook. */
export const checkProcessor = (processor: Processor, where: string): void => {
  if (typeof processor.id !== 'string' || processor.id === '') throw new InterlockError('pipeline/missing-id', { path: where });
  if (!hasAnyHook(processor)) throw new InterlockError('pipeline/no-hook', { path: `${where}/${processor.id}` });
};
