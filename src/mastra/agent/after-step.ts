import type { AgentExecutionOptionsBase } from '@mastra/core/agent';
import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Chunk, EndedStep, LoopPorts, StepRuling } from '../../loop/ports.js';
import type { LoopTarget } from '../tools/loop-target.js';

type Option<Name extends 'isTaskComplete' | 'onIterationComplete'> = NonNullable<AgentExecutionOptionsBase<unknown>[Name]>;
type Task = Option<'isTaskComplete'>;
type Scorers = NonNullable<Task['scorers']>;
type IterationRuling = Exclude<Awaited<ReturnType<Option<'onIterationComplete'>>>, void>;

/**
 * Asks `isTaskComplete` about each answer, and `onIterationComplete` about each step: what was accepted, and nothing else. They
 * may end
 * the run, ask for another step, and tell the model why; `maxSteps` and `bail()` bound the run either way. Undefined where the
 * call has
 * neither.
 */
export const createAfterStep = (target: LoopTarget, hasBailed: () => boolean): LoopPorts['afterStep'] => {
  const { onIterationComplete, isTaskComplete } = target.options;
  const scorers = isTaskComplete?.scorers;
  const task = scorers && scorers.length > 0 ? { ...isTaskComplete, scorers } : undefined;
  if (!onIterationComplete && !task) return undefined;
  let endsAfterFeedback = false;
  return async (ended) => {
    const judged = task && isAnswer(ended) ? await judgeTask(task, target, ended) : { goesOn: ended.goesOn };
    const goesOn = judged.goesOn && !endsAfterFeedback;
    endsAfterFeedback = false;
    const said = await askHook(target, iterationOf(target, ended, goesOn));
    const ruling = said ? ruled({ ...judged, goesOn }, said) : { ...judged, goesOn };
    endsAfterFeedback = said?.continue === false && ruling.goesOn;
    return { ...ruling, goesOn: ruling.goesOn && !hasBailed() };
  };
};

/** A hook that throws says nothing, as in Mastra; the application's log has the error. */
const askHook = async ({ agent, options }: LoopTarget, iteration: Iteration): Promise<IterationRuling | undefined> => {
  try {
    return (await options.onIterationComplete?.(iteration)) ?? undefined;
  } catch (error) {
    agent.getMastraInstance()?.getLogger()?.error('onIterationComplete failed', { agent: agent.id, error });
    return undefined;
  }
};

/** Feedback that ends the run gives the model one more step to follow it, as in Mastra. */
const ruled = (judged: StepRuling, { continue: goesOn = judged.goesOn, feedback }: IterationRuling): StepRuling => {
  if (!feedback) return { ...judged, goesOn };
  const told = [judged.feedback, feedback].filter(Boolean).join('\n\n');
  return { ...judged, goesOn: goesOn || judged.goesOn, feedback: told };
};

const isAnswer = ({ steps }: EndedStep): boolean => steps.at(-1)?.toolCalls.every((call) => call.providerExecuted) ?? false;

/**
 * Runs the scorers of `isTaskComplete`. A response that does not pass is followed by another step, in which the model gets the
 * scorers' reasons.
 */
const judgeTask = async (
  { scorers, strategy, parallel, timeout, onComplete, suppressFeedback = false }: Task & { scorers: Scorers },
  target: LoopTarget,
  ended: EndedStep,
): Promise<StepRuling> => {
  const { formatStreamCompletionFeedback, runStreamCompletionScorers } = await import('@mastra/core/loop');
  const { text, toolCalls, toolResults, iteration, maxIterations, ...place } = iterationOf(target, ended, ended.goesOn);
  const [task] = ended.list.get.input.db();
  const context = {
    ...place,
    iteration,
    maxIterations,
    originalTask: textOf(task) ?? 'Unknown task',
    currentText: text,
    toolCalls,
    toolResults: toolResults as { name: string; result: Record<string, unknown> }[],
    customContext: Object.fromEntries(target.requestContext.entries()),
  };
  const result = await runStreamCompletionScorers(scorers, context, { strategy, parallel, timeout });
  await onComplete?.(result);
  const maxIterationReached = maxIterations !== undefined && iteration >= maxIterations;
  const chunk: Chunk = {
    type: 'is-task-complete',
    payload: {
      iteration,
      passed: result.complete,
      results: result.scorers,
      duration: result.totalDuration,
      timedOut: result.timedOut,
      reason: result.completionReason,
      maxIterationReached,
      suppressFeedback,
    },
  };
  if (result.complete) return { goesOn: false, chunk };
  return { goesOn: true, feedback: formatStreamCompletionFeedback(result, maxIterationReached), chunk };
};

const textOf = (message: MastraDBMessage | undefined): string | undefined =>
  message?.content.parts.find((part) => part.type === 'text')?.text;

type Iteration = ReturnType<typeof iterationOf>;

/** A step in the words of Mastra's hook. */
const iterationOf = ({ agent, options, runId, conversation }: LoopTarget, { list, steps }: EndedStep, goesOn: boolean) => {
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
    isFinal: !goesOn,
    finishReason: last?.finishReason ?? 'unknown',
    runId,
    threadId: conversation?.threadId,
    resourceId: conversation?.resourceId,
    agentId: agent.id,
    agentName: agent.name,
    messages: list.get.all.db(),
  };
};
