import { noopLogger } from '@mastra/core/logger';
import { ProcessorRunner, ProcessorState, type Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { processorsOf, type FunctionNode, type GraphNode, type SequenceNode } from '../../pipeline/graph.js';
import type { PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import { phases } from '../../phase/table.js';

/**
 * The graph of an agent whose processors compute their state signals, one after another, each after the entry that contains it and the
 * maps of that entry: the guards after it judge the signal.
 */
export const withStateSignals = (graph: SequenceNode): SequenceNode => {
  const nodes: GraphNode[] = [];
  let pending: readonly GraphNode[] = [];
  for (const node of graph.nodes) {
    if (node.kind !== 'map') {
      nodes.push(...pending);
      pending = processorsOf(node).filter(hasState).map(stateNode);
    }
    nodes.push(node);
  }
  return { ...graph, nodes: [...nodes, ...pending] };
};

const hasState = ({ computeStateSignal }: Processor): boolean => computeStateSignal !== undefined;

const { phase } = phases.inputStep;

const stateNode = (processor: Processor): FunctionNode => ({
  kind: 'function',
  id: `${processor.id}.state`,
  phases: new Set([phase]),
  run: (data, scope) => sendState(processor, data as PhaseData<typeof phase>, scope), // its only phase
});

/** Mastra's runner, which calls only `computeStateSignal`, and keeps the state in the thread. */
const sendState = async (processor: Processor, data: PhaseData<typeof phase>, scope: RunScope): Promise<void> => {
  const { id, name, stateId } = processor;
  const { conversation, agent, writer, abortSignal, tracingContext } = scope;
  const requestContext = new RequestContext(scope.requestContext?.entries());
  if (conversation) requestContext.set('MastraMemory', conversation.context); // a sub-agent may have set another one
  const state = Object.assign(new ProcessorState(), { customState: scope.slot(id).state });
  const sender = { id, name, stateId, computeStateSignal: processor.computeStateSignal?.bind(processor) };
  const runner = new ProcessorRunner({
    inputProcessors: [sender as Processor],
    logger: noopLogger,
    agentName: id,
    processorStates: new Map([[id, state]]),
  });
  const { messageList, stepNumber, steps = [], rotateResponseMessageId, retryCount = scope.retryCount() } = data;
  await runner.runProcessInputStep({
    messageList,
    stepNumber,
    steps,
    rotateResponseMessageId,
    retryCount,
    requestContext,
    agent,
    writer,
    abortSignal,
    tracingContext,
    memory: conversation?.memory,
    threadId: conversation?.threadId,
    resourceId: conversation?.resourceId,
  } as unknown as Parameters<ProcessorRunner['runProcessInputStep']>[0]); // without a model, which it only passes on
};
