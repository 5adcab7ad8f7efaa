import type { AnyWorkflow } from '@mastra/core/workflows';
import { fromWorkflow, graphOfWorkflow, rememberGraph } from '../graph/to-graph.js';
import { build, options } from './to-workflow.js';

/**
 * Gives a workflow from Mastra's builder the steps of a pipeline with the same graph, so that it runs exactly the guards of an
 * agent. Raises the errors of {@link fromWorkflow}.
 */
export const adopt = (workflow: AnyWorkflow): AnyWorkflow => {
  if (graphOfWorkflow(workflow)) return workflow;
  const graph = fromWorkflow(workflow);
  const {
    stepGraph,
    serializedStepGraph: serializedStepFlow,
    steps,
    inputSchema,
    outputSchema,
  } = build(graph, { path: graph.id });
  workflow.setStepFlow(stepGraph);
  Object.assign(workflow, { serializedStepFlow, steps, inputSchema, outputSchema, type: 'processor' });
  Object.assign(workflow.options, options);
  workflow.commit();
  rememberGraph(workflow, graph);
  return workflow;
};
