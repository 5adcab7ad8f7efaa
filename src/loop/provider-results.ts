import { findToolPart, type ProviderResult } from './response.js';
import type { Outcome } from './outcome.js';
import type { StepRecord, ToolCall } from './ports.js';
import type { Attempt, Run } from './run.js';
import { insertResult } from './insert-result.js';
import { settleResult } from './settle-result.js';
import { toolResultRecord } from './step-record.js';

/**
 * Results of tools that the provider ran take their place in the conversation, those of calls of earlier steps, too. Where a
 * guard judges results, they were held back, and leave now.
 */
export const settleProviderResults = async (run: Run, attempt: Attempt, record: StepRecord): Promise<Outcome | undefined> => {
  for (const told of attempt.answer.results) {
    const call = callOf(run, told);
    const snapshot = insertResult(run, { call, result: told.result }).read(told.result);
    if (snapshot) record.toolResults.push(toolResultRecord(run, call, snapshot.result));
  }
  for (const { payload } of attempt.heldResults) {
    const told = payload as ProviderResult; // only results are held
    const stop = await settleResult(run, record, { call: callOf(run, told), result: told.result, payload: told });
    if (stop) return stop;
  }
  return undefined;
};

/** The call that a result answers, as the conversation has it. */
const callOf = (run: Run, { toolCallId, toolName, args }: ProviderResult): ToolCall => {
  const said = run.scope.host.messages.read(run.list, 'response').flatMap(({ content }) => content.parts);
  const known = findToolPart(said, toolCallId)?.toolInvocation;
  return { toolCallId, toolName, args: known?.args ?? args, providerExecuted: true };
};
