import type { SequenceNode } from '../../pipeline/graph.js';

/** The graphs that workflows were made of. */
const graphs = new WeakMap<object, SequenceNode>();

export const rememberGraph = (workflow: object, graph: SequenceNode): void => void graphs.set(workflow, graph);

/** The graph that a workflow of ours was made of. */
export const graphOfWorkflow = (workflow: object): SequenceNode | undefined => graphs.get(workflow);
