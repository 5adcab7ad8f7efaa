import { type BlockOptions, createBuilder, type PipelineBuilder } from '../../pipeline/builder.js';
import { type PipelineStep, toNode, type GraphSource } from './to-graph.js';

/** A pipeline under construction without a framework; see {@link pipeline}. */
export type PortablePipeline = PipelineBuilder<PipelineStep, GraphSource>;

/**
 * Starts a pipeline without a framework. Compose it with `.then`, `.parallel` and `.branch`; `.commit()` checks it and returns an
 * immutable copy. With or without commit, it is accepted wherever a pipeline is: in the adapters of the AI SDK, in an
 * InterlockAgent, in another pipeline. The `pipeline` of `mastra-interlock` is the same builder, whose `.commit()` makes a Mastra
 * workflow.
 *
 * `.commit()` raises each error that `verify` finds, such as `pipeline/duplicate-id`, `pipeline/empty`.
 *
 * @example
 * const moderation = pipeline('moderation').then(lengthGuard()).parallel([redactor({ strategy: 'replace' }), unicodeGuard()]).commit();
 */
export const pipeline = (id: string, blocks?: BlockOptions): PortablePipeline =>
  createBuilder<PipelineStep, GraphSource>(id, {
    toNode,
    commit: (graph) => Object.freeze({ id, graph: () => graph }),
    blocks,
  });
