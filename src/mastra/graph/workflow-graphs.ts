import type { SequenceNode } from '../../pipeline/graph.js';

/** The graphs of our workflows. */
const graphs = new WeakMap<object, SequenceNode>();

export const rememberGraph = (workflow: object, graph: SequenceNode): void => void graphs.set(workflow, graph);

/** The graph of one of our workflows. */
export const graphOfWorkflow = (workflow: object): SequenceNode | undefined => graphs.get(workflow);
