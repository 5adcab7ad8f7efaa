import type { Processor } from '@mastra/core/processors';
import type { AnyWorkflow } from '@mastra/core/workflows';
import { compileGraph, type Plan } from '../../pipeline/compile.js';
import type { PayloadFunction, SequenceNode } from '../../pipeline/graph.js';
import { fromWorkflow, invalidStep, isGraphSource, isWorkflow, toNode, type GraphSource } from './to-graph.js';

/** An entry of a pipeline. */
export type PipelineStep =
  Processor | AnyWorkflow | GraphSource | PayloadFunction | { readonly id: string; execute(call: never): unknown };

/** The input of {@link compile}: a pipeline, a workflow, or processors in an array. */
export type Compilable = GraphSource | AnyWorkflow | readonly PipelineStep[];

/**
 * Converts a pipeline, a workflow or an array of processors to one graph. An array becomes a sequence with `id`. Raises
 * `pipeline/invalid-step`.
 */
export const toGraph = (source: Compilable, id = 'processors'): SequenceNode => {
  if (isWorkflow(source)) return fromWorkflow(source);
  if (Array.isArray(source)) return { kind: 'sequence', id, nodes: source.map((step, index) => toNode(step, `${id}/${index}`)) };
  if (isGraphSource(source)) return source.graph();
  throw invalidStep(source, id);
};

/** Compiles guards to a plan: for each phase a flat function over the processors that have its hook. */
export const compile = (source: Compilable, id?: string): Plan => compileGraph(toGraph(source, id));
