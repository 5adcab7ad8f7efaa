import type { PhaseData } from '../phase/row.js';
import { judge, releaseJudged } from './judge.js';
import type { Outcome } from './outcome.js';
import type { StepRecord, ToolCall } from './ports.js';
import { agentChunk } from './release.js';
import { stepsForHooks, type Run } from './run.js';
import { toolResultRecord } from './step-record.js';

/** What a call came back with. */
export interface CallResult {
  readonly call: ToolCall;
  readonly result: unknown;
}

/**
 * A tool's result takes its place in the conversation and is judged; what guards leave of it leaves the run and stands in the
 * step's record. Gives an outcome where they stop on it.
 */
export const settleResult = async (run: Run, record: StepRecord, { call, result }: CallResult): Promise<Outcome | undefined> => {
  const { list, ports } = run.options;
  ports.messages.setToolOutcome(list, call, { kind: 'result', result });
  const judged = await judge<'toolResult'>(run, resultPayload(run, call, result));
  if (judged.outcome) return judged.outcome;
  const standing = toolResultRecord(run, call, currentResult(run, { call, result }));
  record.toolResults.push(standing);
  return (await releaseJudged(run, agentChunk(run, 'tool-result', standing.payload))).outcome;
};

/** A result as the conversation has it now: guards replace it there. */
export const currentResult = (run: Run, { call, result }: CallResult): unknown => {
  const current = run.scope.host.messages.readToolResult(run.options.list, call.toolCallId);
  return current.found ? current.result : result;
};

const resultPayload = (run: Run, call: ToolCall, result: unknown): PhaseData<'toolResult'> => {
  const { list } = run.options;
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
