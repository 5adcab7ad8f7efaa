import type { AgentExecutionOptionsBase } from '@mastra/core/agent';
import type { Chunk, EndedStep, LoopPorts, StepRuling } from '../../loop/ports.js';
import type { LoopTarget } from '../tools/tools.js';
import { goalOf, judgeGoal, iterationOf, scoringContext } from './goal.js';

type Option<Name extends 'isTaskComplete' | 'onIterationComplete'> = NonNullable<AgentExecutionOptionsBase<unknown>[Name]>;
type Task = Option<'isTaskComplete'>;
type Scorers = NonNullable<Task['scorers']>;
type IterationRuling = Exclude<Awaited<ReturnType<Option<'onIterationComplete'>>>, void>;

/**
 * Runs `isTaskComplete` and the judge of the agent's `goal` on each accepted answer, and `onIterationComplete` on each accepted
 * step. They may end the run, or request another step with feedback for the model; `maxSteps` and `bail()` bound the run either
 * way. Undefined if the call has none of them.
 */
export const createAfterStep = (target: LoopTarget, hasBailed: () => boolean): LoopPorts['afterStep'] => {
  const { onIterationComplete, isTaskComplete } = target.options;
  const scorers = isTaskComplete?.scorers;
  const task = scorers && scorers.length > 0 ? { ...isTaskComplete, scorers } : undefined;
  const goal = goalOf(target);
  if (!onIterationComplete && !task && !goal) return undefined;
  /** The goal is judged after the task, and only if the run would otherwise end, as in Mastra. */
  const judgeAnswer = async (ended: EndedStep): Promise<StepRuling> => {
    const judged: StepRuling = task ? await judgeTask(task, target, ended) : { shouldContinue: ended.shouldContinue };
    const pursued = goal && !judged.shouldContinue ? await judgeGoal(goal, target, ended) : undefined;
    return pursued ? { ...pursued, chunks: [...(judged.chunks ?? []), ...(pursued.chunks ?? [])] } : judged;
  };
  let endsAfterFeedback = false;
  return async (ended) => {
    const ruling = isAnswer(ended) ? await judgeAnswer(ended) : { shouldContinue: ended.shouldContinue };
    const shouldContinue = ruling.shouldContinue && !endsAfterFeedback;
    endsAfterFeedback = false;
    const ruled = await callHook(target, iterationOf(target, ended, shouldContinue));
    const finalRuling = ruled ? applyRuling({ ...ruling, shouldContinue }, ruled) : { ...ruling, shouldContinue };
    endsAfterFeedback = ruled?.continue === false && finalRuling.shouldContinue;
    return { ...finalRuling, shouldContinue: finalRuling.shouldContinue && !hasBailed() };
  };
};

/** A hook that throws has no effect, as in Mastra; the error goes to the application's log. */
const callHook = async ({ agent, options }: LoopTarget, iteration: Iteration): Promise<IterationRuling | undefined> => {
  try {
    return (await options.onIterationComplete?.(iteration)) ?? undefined;
  } catch (error) {
    agent.getMastraInstance()?.getLogger()?.error('onIterationComplete failed', { agent: agent.id, error });
    return undefined;
  }
};

/** Feedback that ends the run gives the model one more step to follow it, as in Mastra. */
const applyRuling = (
  judged: StepRuling,
  { continue: shouldContinue = judged.shouldContinue, feedback }: IterationRuling,
): StepRuling => {
  if (!feedback) return { ...judged, shouldContinue };
  const allFeedback = [judged.feedback, feedback].filter(Boolean).join('\n\n');
  return { ...judged, shouldContinue: shouldContinue || judged.shouldContinue, feedback: allFeedback };
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
  const context = scoringContext(target, ended);
  const { iteration, maxIterations } = context;
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
  if (result.complete) return { shouldContinue: false, chunks: [chunk] };
  return { shouldContinue: true, feedback: formatStreamCompletionFeedback(result, maxIterationReached), chunks: [chunk] };
};

/** A step as the argument of Mastra's hook. */
type Iteration = ReturnType<typeof iterationOf>;
