import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { EndedStep } from '../../loop/ports.js';
import type { LoopTarget } from '../tools/tools.js';

const textOf = (message: MastraDBMessage | undefined): string | undefined =>
  message?.content.parts.find((part) => part.type === 'text')?.text;

/** A step as the argument of Mastra's hook. */
export type Iteration = ReturnType<typeof iterationOf>;

/** A step as the argument of Mastra's hook. */
export const iterationOf = (
  { agent, options, runId, conversation }: LoopTarget,
  { list, steps }: EndedStep,
  shouldContinue: boolean,
) => {
  const last = steps.at(-1);
  return {
    iteration: steps.length,
    maxIterations: options.maxSteps,
    text: last?.text ?? '',
    toolCalls: (last?.toolCalls ?? []).map(({ toolCallId, toolName, args }) => ({
      id: toolCallId,
      name: toolName,
      args: (args ?? {}) as Record<string, unknown>, // tools take objects
    })),
    toolResults: (last?.toolResults ?? []).map(({ toolCallId, toolName, output }) => ({
      id: toolCallId,
      name: toolName,
      result: output,
    })),
    isFinal: !shouldContinue,
    finishReason: last?.finishReason ?? 'unknown',
    runId,
    threadId: conversation?.threadId,
    resourceId: conversation?.resourceId,
    agentId: agent.id,
    agentName: agent.name,
    messages: list.get.all.db(),
  };
};

/** A step as the input of Mastra's completion scorers. */
export const scoringContext = (target: LoopTarget, ended: EndedStep) => {
  const { toolResults, text, isFinal: _, finishReason: __, ...place } = iterationOf(target, ended, ended.shouldContinue);
  const [task] = ended.list.get.input.db();
  return {
    ...place,
    originalTask: textOf(task) ?? 'Unknown task',
    currentText: text,
    toolResults: toolResults as { name: string; result: Record<string, unknown> }[],
    customContext: Object.fromEntries(target.requestContext.entries()),
  };
};
