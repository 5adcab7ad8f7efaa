import type { AgentExecutionOptionsBase } from '@mastra/core/agent';
import type { Chunk, EndedStep, LoopPorts, StepRuling } from '../../loop/ports.js';
import type { LoopTarget } from '../tools/loop-target.js';
import { goalOf, judgeGoal } from './goal.js';
import { iterationOf, scoringContext, type Iteration } from './iteration.js';

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
  let endsAfterFeedback = false;
  return async (ended) => {
    const judged = isAnswer(ended) ? await judgeAnswer({ task, goal }, target, ended) : { goesOn: ended.goesOn };
    const goesOn = judged.goesOn && !endsAfterFeedback;
    endsAfterFeedback = false;
    const said = await askHook(target, iterationOf(target, ended, goesOn));
    const ruling = said ? ruled({ ...judged, goesOn }, said) : { ...judged, goesOn };
    endsAfterFeedback = said?.continue === false && ruling.goesOn;
    return { ...ruling, goesOn: ruling.goesOn && !hasBailed() };
  };
};

/** A hook that throws has no effect, as in Mastra; the error goes to the application's log. */
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

interface Judges {
  readonly task: (Task & { scorers: Scorers }) | undefined;
  readonly goal: ReturnType<typeof goalOf>;
}

/** The goal is judged after the task, and only if the run would otherwise end, as in Mastra. */
const judgeAnswer = async ({ task, goal }: Judges, target: LoopTarget, ended: EndedStep): Promise<StepRuling> => {
  const judged: StepRuling = task ? await judgeTask(task, target, ended) : { goesOn: ended.goesOn };
  const pursued = goal && !judged.goesOn ? await judgeGoal(goal, target, ended) : undefined;
  return pursued ? { ...pursued, chunks: [...(judged.chunks ?? []), ...(pursued.chunks ?? [])] } : judged;
};

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
  if (result.complete) return { goesOn: false, chunks: [chunk] };
  return { goesOn: true, feedback: formatStreamCompletionFeedback(result, maxIterationReached), chunks: [chunk] };
};
