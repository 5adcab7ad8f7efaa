import type { ToolCall } from './ports.js';
import type { Attempt, Run } from './run.js';
import { awaitApproval } from './step-calls.js';

/**
 * Finds out which calls need a person's approval: those of which a guard of the stream said so, and those whose tool or caller asks
 * for it. Each call is asked about once. Says whether any of them waits.
 */
export const requestApprovals = async (run: Run, attempt: Attempt, calls: readonly ToolCall[]): Promise<boolean> => {
  const { stepCalls } = attempt;
  const { waiting, answers } = stepCalls;
  for (const call of calls) {
    const { toolCallId } = call;
    if (answers.has(toolCallId) || waiting.has(toolCallId)) continue;
    if (await needsApproval(run, attempt, call)) awaitApproval(stepCalls, call);
    else answers.set(toolCallId, { kind: 'unasked' });
  }
  return calls.some(({ toolCallId }) => waiting.get(toolCallId)?.kind === 'approval');
};

const needsApproval = async (run: Run, { answer, settings }: Attempt, call: ToolCall): Promise<boolean> => {
  const ruling = answer.rulings.get(call.toolCallId);
  if (ruling) return ruling.kind === 'approval'; // a call that a guard rejected does not run, whoever might approve of it
  return run.options.ports.needsApproval({ call, settings });
};
