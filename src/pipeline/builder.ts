import { InterlockError } from '../errors.js';
import type { BranchNode, Condition, GraphNode, MapInput, ParallelNode, SequenceNode, StaleVerdicts } from './graph.js';
import { checkGraph } from './verify/checks.js';
import { throwFaults, aFunction, either, fieldsOf, oneOf, type OptionKind } from '../option-kind.js';
import type { OverlapRule } from './overlap.js';

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
  /** Adds cases; those whose condition holds run and are merged. Without a match the payload passes through. */
  branch(arms: readonly (readonly [Condition, Step])[], options?: BlockOptions): this;
  /** Adds a function over the payload; it returns its changes, or nothing. */
  map(run: (context: { inputData: MapInput }) => unknown): this;
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

/** Options of a block for merging its branches; those of a pipeline apply to all its direct blocks. */
export interface BlockOptions {
  /** The rule for two branches that edit the same words. Default: the pipeline's rule, whose default is `'widest-redaction'`. */
  readonly overlap?: OverlapRule;
  /** The handling of a pass on a payload that a sibling changed. Default: the pipeline's, and there `'report'`. */
  readonly staleVerdicts?: StaleVerdicts;
}

const kinds: { readonly [Name in keyof BlockOptions]-?: OptionKind } = {
  overlap: either(oneOf('widest-redaction', 'first', 'last', 'error'), aFunction),
  staleVerdicts: oneOf('report', 'rerun'),
};
const options = fieldsOf(kinds);

/** Rejects options that a block would ignore or misread, in one error. Raises `pipeline/invalid-option`. */
const checkBlockOptions = (given: object, path: string): void =>
  throwFaults(options.faultsOf(given, path).map((fault) => ({ code: 'pipeline/invalid-option', ...fault })));

/** The steps of a block. Raises `pipeline/invalid-step` if they are not an array. */
const stepsOf = <Step>(steps: readonly Step[], path: string): readonly Step[] => {
  if (!Array.isArray(steps)) reject(path, 'steps side by side are given in an array.');
  return steps;
};

/** The cases of a branch. Raises `pipeline/invalid-step` if they are not pairs of a condition and a step. */
const armsOf = <Step>(arms: readonly (readonly [Condition, Step])[], path: string): readonly (readonly [Condition, Step])[] => {
  if (!Array.isArray(arms)) reject(path, 'cases are given in an array, each as [condition, step].');
  for (const [index, arm] of arms.entries())
    if (!Array.isArray(arm) || typeof arm[0] !== 'function')
      reject(`${path}/${index}`, 'a case is a pair [condition, step], and its condition a function.');
  return arms;
};

const reject = (path: string, detail: string): never => {
  throw new InterlockError('pipeline/invalid-step', { path, detail });
};
