import { armsOf, checkBlockOptions, stepsOf, type BlockOptions } from './block-options.js';
import type { BranchNode, Condition, GraphNode, ParallelNode, SequenceNode } from './graph.js';
import { checkGraph } from './verify/refuse.js';

/**
 * Composes guards. Every combinator takes and gives the phase payload, so any of them fits after any other.
 *
 * `Step` is whatever the host lets stand in a pipeline; `Committed` what the host makes of the finished graph.
 */
export interface PipelineBuilder<Step, Committed> {
  readonly id: string;
  /** Adds a step after the last. */
  then(step: Step): this;
  /** Adds steps side by side: each works on a snapshot, their edits are merged. */
  parallel(steps: readonly Step[], options?: BlockOptions): this;
  /** Adds arms; those whose condition holds run and are merged. No match passes through. */
  branch(arms: readonly (readonly [Condition, Step])[], options?: BlockOptions): this;
  /** Adds a function over the payload, or over the keyed results of the block before it. */
  map(run: (context: { inputData: never }) => unknown): this;
  /** The current graph. */
  graph(): SequenceNode;
  /** Checks the graph and hands it to the host. Raises `pipeline/…` codes. */
  commit(): Committed;
}

interface BuilderPorts<Step, Committed> {
  /** What blocks do that say nothing of their own. */
  readonly blocks?: BlockOptions;
  /** Reads a step as a node; raises `pipeline/invalid-step` for what cannot be one. `where` is its place, for errors. */
  toNode(step: Step, where: string): GraphNode;
  commit(graph: SequenceNode): Committed;
}

/** Makes a builder that turns steps into nodes as the host says. Raises `pipeline/invalid-option`, and what its ports do. */
export const createBuilder = <Step, Committed>(
  id: string,
  ports: BuilderPorts<Step, Committed>,
): PipelineBuilder<Step, Committed> => {
  const nodes: GraphNode[] = [];
  const add = (node: GraphNode) => {
    nodes.push(node);
    return builder;
  };
  const here = () => `${id}/${nodes.length}`;
  const merging = (options: BlockOptions = {}) => {
    checkBlockOptions(options, here());
    const { overlap = ports.blocks?.overlap ?? 'widest-redaction', staleVerdicts = ports.blocks?.staleVerdicts ?? 'report' } =
      options;
    return { overlap, staleVerdicts };
  };
  checkBlockOptions(ports.blocks ?? {}, id);
  const builder: PipelineBuilder<Step, Committed> = {
    id,
    then: (step) => add(ports.toNode(step, here())),
    parallel: (steps, options) =>
      add({
        kind: 'parallel',
        nodes: stepsOf(steps, here()).map((step) => ports.toNode(step, here())),
        ...merging(options),
      } satisfies ParallelNode),
    branch: (arms, options) =>
      add({
        kind: 'branch',
        arms: armsOf(arms, here()).map(([when, step]) => ({ when, node: ports.toNode(step, here()) })),
        ...merging(options),
      } satisfies BranchNode),
    map: (run) => add({ kind: 'map', id: `map.${nodes.length}`, run: run as (context: object) => unknown }), // its author knows what it is given
    graph: () => ({ kind: 'sequence', id, nodes: [...nodes] }),
    commit: () => ports.commit(checkGraph(builder.graph())),
  };
  return builder;
};
