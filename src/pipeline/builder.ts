import { InterlockError } from '../errors.js';
import { armsOf, checkBlockOptions, stepsOf, type BlockOptions } from './block-options.js';
import type { BranchNode, Condition, GraphNode, ParallelNode, SequenceNode } from './graph.js';
import { checkGraph } from './verify/find-defects.js';

/**
 * Composes guards. Every combinator takes and returns the phase payload, so any of them fits after any other.
 *
 * `Step` is the host's type of a pipeline step; `Committed` is its type of the finished graph.
 */
export interface PipelineBuilder<Step, Committed> {
  readonly id: string;
  /** Adds a step after the last. */
  then(step: Step): this;
  /** Adds parallel steps: each works on a snapshot, their edits are merged. */
  parallel(steps: readonly Step[], options?: BlockOptions): this;
  /** Adds arms; those whose condition holds run and are merged. Without a match the payload passes through. */
  branch(arms: readonly (readonly [Condition, Step])[], options?: BlockOptions): this;
  /** Adds a function over the payload, or over the keyed results of the block before it. */
  map(run: (context: { inputData: never }) => unknown): this;
  /** The current graph. */
  graph(): SequenceNode;
  /** Checks the graph and passes it to the host. Raises `pipeline/…` codes. */
  commit(): Committed;
}

interface BuilderPorts<Step, Committed> {
  /** The default options of blocks. */
  readonly blocks?: BlockOptions;
  /** Reads a step as a node; raises `pipeline/invalid-step` for an invalid one. `where` is its path, for errors. */
  toNode(step: Step, path: string): GraphNode;
  commit(graph: SequenceNode): Committed;
}

/**
 * Creates a builder that uses the host's ports to convert steps to nodes. Raises `pipeline/missing-id`, `pipeline/invalid-option`, and
 * the errors of its ports.
 */
export const createBuilder = <Step, Committed>(
  id: string,
  ports: BuilderPorts<Step, Committed>,
): PipelineBuilder<Step, Committed> => {
  if (typeof id !== 'string' || id === '') throw new InterlockError('pipeline/missing-id', { path: 'pipeline' });
  const nodes: GraphNode[] = [];
  const add = (node: GraphNode) => {
    nodes.push(node);
    return builder;
  };
  const here = () => `${id}/${nodes.length}`;
  const mergeRules = (options: BlockOptions = {}) => {
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
        ...mergeRules(options),
      } satisfies ParallelNode),
    branch: (arms, options) =>
      add({
        kind: 'branch',
        arms: armsOf(arms, here()).map(([when, step]) => ({ when, node: ports.toNode(step, here()) })),
        ...mergeRules(options),
      } satisfies BranchNode),
    map: (run) => add({ kind: 'map', id: `map.${nodes.length}`, run: run as (context: object) => unknown }), // its author knows its input
    graph: () => ({ kind: 'sequence', id, nodes: [...nodes] }),
    commit: () => ports.commit(checkGraph(builder.graph())),
  };
  return rejectPromises(builder);
};

type Then = (...args: never[]) => unknown;

/**
 * Makes an object with its own `then` fail as the value of a promise: an asynchronous function that returns a pipeline or a
 * workflow would otherwise never settle. Raises `pipeline/invalid-step`, as that promise's rejection.
 */
export const rejectPromises = <T extends { readonly id: string; then: Then }>(thenable: T): T => {
  const { then } = thenable;
  const guarded = (...args: never[]): unknown => {
    if (args.length !== 2 || !args.every((arg) => typeof arg === 'function')) return Reflect.apply(then, thenable, args);
    const detail = 'a promise cannot hold a pipeline, which has a then of its own; return it in an array.';
    throw new InterlockError('pipeline/invalid-step', { path: thenable.id, detail });
  };
  return Object.defineProperty(thenable, 'then', { value: guarded, configurable: true, writable: true, enumerable: true });
};
