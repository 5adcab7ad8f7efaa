import type { PhaseData } from '../phase/row.js';
import { judge, releaseJudged } from './judge.js';
import type { Outcome } from './outcome.js';
import { placeResult, type CallResult } from './place-result.js';
import type { StepRecord } from './ports.js';
import { agentChunk } from './release.js';
import { stepsForHooks, type Run } from './run.js';
import { toolResultRecord } from './step-record.js';

/**
 * A tool's result takes its place in the conversation and is judged; what guards leave of it leaves the run and stands in the
 * step's record. A result that they took out of the conversation is told to nobody. Gives an outcome where they stop on it.
 */
export const settleResult = async (run: Run, record: StepRecord, told: CallResult): Promise<Outcome | undefined> => {
  const place = placeResult(run, told);
  const judged = await judge<'toolResult'>(run, resultPayload(run, told));
  if (judged.outcome) return judged.outcome;
  const standing = place.read(judged.data.result);
  if (!standing) return undefined;
  const standingRecord = toolResultRecord(run, told.call, standing.result);
  record.toolResults.push(standingRecord);
  return (await releaseJudged(run, agentChunk(run, 'tool-result', standingRecord.payload))).outcome;
};

const resultPayload = (run: Run, { call, result }: CallResult): PhaseData<'toolResult'> => {
  const { list } = run;
  const { messages } = run.scope.host;
  const { toolName, toolCallId, args, providerExecuted } = call;
  return {
    phase: 'toolResult',
    messages: messages.read(list, 'all'),
    messageList: list,
    systemMessages: messages.readSystem(list),
    stepNumber: run.position.stepNumber,
    toolName,
    toolCallId,
    args,
    result,
    providerExecuted,
    steps: stepsForHooks(run),
    retryCount: run.retries,
  };
};
