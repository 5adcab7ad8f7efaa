import { releaseJudged, stopWith } from '../judge.js';
import type { Outcome } from '../outcome.js';
import type { StepRecord, ToolCall, ToolOutcome } from '../ports.js';
import { agentChunk } from '../release.js';
import { createRunningCalls, type RunningCalls } from '../running-calls.js';
import { currentAttempt, type Attempt, type Run } from '../run.js';
import { settleResult } from '../settle-result.js';
import { untilAborted } from '../until-aborted.js';

/**
 * Runs the tools of a reviewed step side by side, as many at a time as the run allows; their results are judged in the order
 * of the calls. A call that has to wait starts when an earlier one's result was accepted, never after a stop.
 */
export const tools = async (run: Run): Promise<Outcome> => {
  const attempt = currentAttempt(run);
  const record = attempt.record as StepRecord; // review made it; the machine comes here from there alone
  const calls = record.toolCalls.filter((call) => !call.providerExecuted);
  if (calls.some((call) => needsApproval(attempt, call))) return { kind: 'suspended' }; // before any of them runs
  const running = createRunningCalls(run, attempt);
  const { stop, leftToClient } = await settleAll(run, { record, calls, running });
  if (stop) {
    await running.halt(stop.kind === 'retry' ? 'wait' : 'cancel');
    return stop;
  }
  record.reason = 'tool-calls';
  return { kind: 'executed', stop: leftToClient || (await run.options.ports.shouldStop(run.steps)) };
};

/** Whether a guard of the stream wants a person to decide over a call. */
const needsApproval = ({ answer }: Attempt, { toolCallId }: ToolCall): boolean =>
  answer.rulings.get(toolCallId)?.kind === 'approval';

interface Settling {
  record: StepRecord;
  calls: readonly ToolCall[];
  running: RunningCalls;
}

interface Settled {
  stop?: Outcome;
  leftToClient: boolean;
}

const settleAll = async (run: Run, { record, calls, running }: Settling): Promise<Settled> => {
  const { toolConcurrency } = run.options;
  const outcomes = calls.slice(0, toolConcurrency).map((call) => running.start(call));
  let leftToClient = false;
  for (const [index, call] of calls.entries()) {
    const outcome = await untilAborted(outcomes[index] as Promise<ToolOutcome>, running.stopped); // it was started before its turn
    run.signal.throwIfAborted();
    if (run.stop) return { stop: stopWith(run, run.stop), leftToClient }; // a guard stopped on what a tool wrote
    if (outcome?.kind === 'client') leftToClient = true;
    else if (outcome) {
      const stop = await settle(run, record, { call, outcome });
      if (stop) return { stop, leftToClient };
    }
    const waiting = calls[index + toolConcurrency];
    if (waiting) outcomes.push(running.start(waiting));
  }
  return { leftToClient };
};

interface Ended {
  call: ToolCall;
  outcome: Exclude<ToolOutcome, { kind: 'client' }>;
}

const settle = async (run: Run, record: StepRecord, { call, outcome }: Ended): Promise<Outcome | undefined> => {
  const { ports } = run.options;
  if (outcome.kind === 'result') return settleResult(run, record, { call, result: outcome.result });
  const { toolCallId, toolName, args } = call;
  ports.messages.setToolOutcome(run.list, call, outcome);
  const told = await releaseJudged(run, agentChunk(run, 'tool-error', { toolCallId, toolName, args, error: outcome.error }));
  return told.outcome;
};
