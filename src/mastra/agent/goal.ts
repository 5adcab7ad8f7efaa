import type { AgentConfig } from '@mastra/core/agent';
import type { Mastra } from '@mastra/core/mastra';
import { RequestContext } from '@mastra/core/request-context';
import type * as evals from '@mastra/core/evals';
import { z } from 'zod';
import * as mastraTools from '@mastra/core/tools';
import type { EndedStep, StepRuling } from '../../loop/ports.js';
import { withTextFields } from '../messages/conversion.js';
import type { LoopTarget } from '../tools/tools.js';
import { definedFields } from '../../phase/plain-data.js';
import type { MastraDBMessage } from '@mastra/core/agent/message-list';

type Goal = NonNullable<AgentConfig['goal']>;
type Objective = NonNullable<Awaited<ReturnType<typeof mastraTools.readObjective>>>;
type Settings = ReturnType<typeof mastraTools.resolveEffectiveGoalSettings>;

interface Verdict {
  readonly status: Objective['status'];
  readonly pausedReason?: string;
  readonly shouldContinue: boolean;
  /** Fields of the `goal` chunk in addition to the objective's. */
  readonly scores: object;
  readonly reason: string | undefined;
}

/** The score of Mastra's goal judge for an agent that correctly waits for its user. */
const waitingScore = 0.5;
const judgeId = 'goal-scorer';
const scores = { done: 1, waiting: waitingScore, continue: 0 } as const;

/** The goal of an agent; undefined outside a thread. */
export const goalOf = ({ agent, conversation }: Pick<LoopTarget, 'agent' | 'conversation'>): Goal | undefined =>
  conversation && agent['__getGoalConfig']();

/**
 * Judges an accepted answer against the objective of its thread, as Mastra's goal step does: the objective is done or paused, or
 * the run continues with the judge's reason. Undefined if the thread has no active objective, or there is no judge.
 */
export const judgeGoal = async (goal: Goal, target: LoopTarget, ended: EndedStep): Promise<StepRuling | undefined> => {
  const threadId = target.conversation?.threadId;
  const mastra = target.agent.getMastraInstance();
  const store = await mastraTools.resolveGoalStore(mastra);
  const record = await mastraTools.readObjective(store, threadId);
  if (record?.status !== 'active') return undefined;
  const { judge, maxRuns, prompt, maxSteps } = goal;
  const judgeModelId = typeof judge === 'string' ? judge : undefined;
  const settings = mastraTools.resolveEffectiveGoalSettings(record, definedFields({ judgeModelId, maxRuns, prompt, maxSteps }));
  const isSpent = record.runsUsed >= settings.maxRuns;
  const scorer = isSpent ? undefined : await scorerOf(goal, settings, target);
  if (!isSpent && !scorer) return undefined;
  const verdict = scorer ? await judged(scorer, { record, settings, target, ended }) : spent(settings);
  const runsUsed = record.runsUsed + (scorer ? 1 : 0);
  const { pausedReason: _, ...rest } = record;
  const { status, pausedReason } = verdict;
  const updated = { ...rest, runsUsed, status, ...(pausedReason !== undefined && { pausedReason }), updatedAt: Date.now() };
  await mastraTools.writeObjective(store, threadId, updated, target.requestContext);
  return toRuling(updated, settings, verdict);
};

const toRuling = ({ objective, runsUsed }: Objective, { maxRuns }: Settings, verdict: Verdict): StepRuling => {
  const { status, pausedReason, shouldContinue, scores: goalScores, reason = 'The goal is not complete yet.' } = verdict;
  const payload = {
    objective,
    iteration: runsUsed,
    maxRuns,
    status,
    pausedReason,
    reason: pausedReason ?? verdict.reason,
    maxRunsReached: runsUsed >= maxRuns,
    suppressFeedback: false,
    shouldContinue,
    ...goalScores,
  };
  const feedback = `[Goal attempt ${runsUsed}/${maxRuns}] ${reason}\n\nContinue to work toward the goal: ${objective}`;
  return { shouldContinue, ...(shouldContinue && { feedback }), chunks: [{ type: 'goal', payload }] };
};

const budgetReason = (maxRuns: number): string => `The goal was judged ${maxRuns} times (maxRuns) and is not complete.`;

const spent = ({ maxRuns }: Settings): Verdict => ({
  status: 'paused',
  pausedReason: budgetReason(maxRuns),
  shouldContinue: false,
  reason: undefined,
  scores: { passed: false, results: [], duration: 0, timedOut: false },
});

const judged = async (
  scorer: evals.MastraScorer,
  { record, settings, target, ended }: { record: Objective; settings: Settings; target: LoopTarget; ended: EndedStep },
): Promise<Verdict> => {
  const { runStreamCompletionScorers } = await import('@mastra/core/loop');
  const run = record.runsUsed + 1;
  const { maxRuns } = settings;
  const context = { ...scoringContext(target, ended), iteration: run, maxIterations: maxRuns, originalTask: record.objective };
  const result = await runStreamCompletionScorers([scorer], context, { strategy: 'all' });
  const { complete: passed, scorers: results, totalDuration: duration, timedOut, completionReason: reason } = result;
  const failed = results.find(({ errored }) => errored);
  const isWaiting = !failed && !passed && results.some(({ scorerId, score }) => scorerId === judgeId && score === waitingScore);
  const summary = { passed, results, duration, timedOut, judgeFailed: failed !== undefined, waitingForUser: isWaiting };
  const pausedReason = failed
    ? (failed.reason ?? 'The judge of the goal failed.')
    : run >= maxRuns
      ? budgetReason(maxRuns)
      : undefined;
  if (passed) return { status: 'done', shouldContinue: false, scores: summary, reason };
  if (pausedReason !== undefined && !isWaiting)
    return { status: 'paused', pausedReason, shouldContinue: false, scores: summary, reason };
  return { status: 'active', shouldContinue: !isWaiting, scores: summary, reason };
};

/** The scorer of the configuration, or a judge with the model of the objective or the configuration. */
const scorerOf = async (
  goal: Goal,
  { judgeModelId, prompt, maxSteps }: Settings,
  target: LoopTarget,
): Promise<evals.MastraScorer | undefined> => {
  const { agent, requestContext } = target;
  const mastra = agent.getMastraInstance();
  const place = { requestContext, ...(mastra && { mastra }) } as never; // the arguments of Mastra's resolvers
  const chosen = typeof goal.judge === 'function' ? await goal.judge(place) : goal.judge;
  const model = (typeof chosen === 'string' ? judgeModelId : chosen) ?? judgeModelId;
  if (!model) return undefined;
  if (goal.scorer) return typeof goal.scorer === 'string' ? mastra?.getScorer(goal.scorer) : goal.scorer;
  const tools = typeof goal.tools === 'function' ? await goal.tools(place) : goal.tools;
  const judge = { model, instructions: prompt, ...(tools && { tools }), ...(maxSteps !== undefined && { maxSteps }) };
  return createGoalJudge({ ...judge, requestContext: new RequestContext(requestContext.entries()) }, mastra);
};

/** A model that judges whether an answer meets the objective, needs more steps, or correctly waits for the user. */
const createGoalJudge = async (
  judge: NonNullable<Parameters<typeof evals.createScorer>[0]['judge']>,
  mastra: Mastra | undefined,
): Promise<evals.MastraScorer> => {
  const { createScorer } = await import('@mastra/core/evals');
  const inputOf = z.object({ input: z.object({ originalTask: z.string() }), output: z.string() });
  const description = 'Judges an answer against the goal of its thread.';
  const scorer = createScorer({ id: judgeId, name: 'Goal (LLM)', description, judge });
  if (mastra) scorer['__registerMastra'](mastra);
  return scorer
    .analyze({
      description: 'Judges the last answer against the objective',
      outputSchema: z.object({ decision: z.enum(['done', 'continue', 'waiting']), reason: z.string() }),
      createPrompt: ({ run }) => {
        const { input, output } = inputOf.parse(run);
        return `Goal: ${input.originalTask}\n\nLast answer of the assistant:\n${output}`;
      },
    })
    .generateScore(({ results }) => scores[results.analyzeStepResult.decision])
    .generateReason(({ results }) => results.analyzeStepResult.reason);
};

const textOf = (message: MastraDBMessage | undefined): string | undefined =>
  message?.content.parts.find((part) => part.type === 'text')?.text;

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
    toolResults: (last?.toolResults ?? []).map(({ toolCallId: id, toolName: name, output: result }) => ({ id, name, result })),
    isFinal: !shouldContinue,
    finishReason: last?.finishReason ?? 'unknown',
    runId,
    threadId: conversation?.threadId,
    resourceId: conversation?.resourceId,
    agentId: agent.id,
    agentName: agent.name,
    messages: withTextFields(list.get.all.db(), list),
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
