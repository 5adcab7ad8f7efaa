import type { Processor } from '@mastra/core/processors';
import type { Condition, GraphNode, PayloadFunction, SequenceNode } from './graph.js';
import type { OverlapRule } from './overlap.js';

export const guardNode = (processor: Processor): GraphNode => ({ kind: 'guard', id: processor.id, processor });

export const functionNode = (id: string, run: PayloadFunction): GraphNode => ({ kind: 'function', id, run });

export const sequence = (id: string, ...nodes: GraphNode[]): SequenceNode => ({ kind: 'sequence', id, nodes });

export const parallel = (...nodes: GraphNode[]): GraphNode => ({ kind: 'parallel', nodes, overlap: 'widest-redaction' });

export const parallelBy = (overlap: OverlapRule, ...nodes: GraphNode[]): GraphNode => ({ kind: 'parallel', nodes, overlap });

export const branch = (...arms: [Condition, GraphNode][]): GraphNode => ({
  kind: 'branch',
  arms: arms.map(([when, node]) => ({ when, node })),
  overlap: 'widest-redaction',
});
