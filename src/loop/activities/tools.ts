import { afterStep } from '../after-step.js';
import { emitJudged, stopWith } from '../judge.js';
import type { Outcome } from '../outcome.js';
import type { StepRecord, ToolCall, ToolOutcome } from '../ports.js';
import { agentChunk } from '../emit.js';
import { createRunningCalls, type RunningCalls } from '../running-calls.js';
import { currentAttempt, type Attempt, type Run } from '../run.js';
import { settleError, settleResult } from '../settle-result.js';
import { acceptedParts, responseParts } from '../step-record.js';
import { untilAborted } from '../until-aborted.js';
import { awaitApproval } from '../step-calls.js';

/**
 * Runs the tools of a reviewed step side by side, as many at a time as the run allows; their results are judged in the order
 * of the calls. A call that has to wait starts when an earlier one's result was accepted, never after a stop.
 *
 * None of them starts before every call that needs a person's approval is decided. A tool that suspends the run does not hold
 * up the others; the run is suspended when they are done, and a resumed run goes on with what is not settled.
 */
export const tools = async (run: Run): Promise<Outcome> => {
  const attempt = currentAttempt(run);
  const record = attempt.record as StepRecord; // review made it; the machine comes here from there alone
  const { settled, waiting, shown } = attempt.stepCalls;
  const calls = record.toolCalls.filter((call) => !call.providerExecuted && !settled.has(call.toolCallId));
  if (await requestApprovals(run, attempt, calls)) return { kind: 'suspended' }; // before any of them runs
  if (calls.length > 0) {
    const running = createRunningCalls(run, attempt);
    const stop = await settleAll(run, attempt, { calls: calls.map((call) => shown.get(call.toolCallId) ?? call), running });
    if (stop) {
      await running.halt(stop.kind === 'retry' ? 'wait' : 'cancel');
      return stop;
    }
  }
  attempt.partCount = responseParts(run).length - acceptedParts(run); // what its tools wrote is its own
  if (waiting.size > 0) return { kind: 'suspended' };
  record.reason = 'tool-calls';
  const leftToClient = [...settled.values()].includes('client');
  const stops = leftToClient || (await run.options.ports.shouldStop(run.steps));
  const isLast = run.position.stepNumber + 1 >= run.options.limits.maxSteps;
  const { goesOn, outcome } = await afterStep(run, !stops && !isLast);
  return outcome ?? { kind: 'executed', stop: leftToClient || !(goesOn || (isLast && !stops)) };
};

interface SettleOptions {
  calls: readonly ToolCall[];
  running: RunningCalls;
}

/** Gives an outcome where a guard stops on what a tool wrote or returned. */
const settleAll = async (run: Run, attempt: Attempt, { calls, running }: SettleOptions): Promise<Outcome | undefined> => {
  const { toolConcurrency } = run.options;
  const outcomes = calls.slice(0, toolConcurrency).map((call) => running.start(call));
  for (const [index, call] of calls.entries()) {
    const outcome = await untilAborted(outcomes[index] as Promise<ToolOutcome>, running.stopped); // it was started before its turn
    run.signal.throwIfAborted();
    if (run.stop) return stopWith(run, run.stop); // a guard stopped on what a tool wrote
    const stop = outcome && (await settle(run, attempt, { call, outcome }));
    if (stop) return stop;
    if (outcome && outcome.kind !== 'suspended') run.options.ports.messages.addData(run.list, running.writtenBy(call));
    const waiting = calls[index + toolConcurrency];
    if (waiting) outcomes.push(running.start(waiting));
  }
  return undefined;
};

interface Ended<O = ToolOutcome> {
  call: ToolCall;
  outcome: O;
}

const settle = async (run: Run, { record, stepCalls }: Attempt, { call, outcome }: Ended): Promise<Outcome | undefined> => {
  const { toolCallId } = call;
  if (outcome.kind === 'suspended') {
    stepCalls.waiting.set(toolCallId, { kind: 'data', call, suspension: outcome.suspension });
    return undefined;
  }
  stepCalls.settled.set(toolCallId, outcome.kind === 'client' ? 'client' : 'told');
  if (outcome.kind === 'client') return undefined;
  if (outcome.kind === 'error') return settleError(run, { call, error: outcome.error });
  if (outcome.kind === 'denied') return settleDenial(run, { call, outcome });
  return settleResult(run, record as StepRecord, { call, result: outcome.result }); // see tools
};

/** The model gets the reason why the tool did not run. */
const settleDenial = async (
  run: Run,
  { call, outcome }: Ended<Extract<ToolOutcome, { kind: 'denied' }>>,
): Promise<Outcome | undefined> => {
  const { toolCallId, toolName, args } = call;
  run.options.ports.messages.setToolOutcome(run.list, call, outcome);
  const approval = { id: toolCallId, approved: false, reason: outcome.reason };
  return (await emitJudged(run, agentChunk(run, 'tool-output-denied', { toolCallId, toolName, args, approval }))).outcome;
};

/**
 * Finds out which calls need a person's approval: those of which a guard of the stream said so, and those whose tool or caller
 * asks for it. Each call is asked about once. Says whether any of them waits.
 */
const requestApprovals = async (run: Run, attempt: Attempt, calls: readonly ToolCall[]): Promise<boolean> => {
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
  if (ruling) return ruling.kind === 'approval'; // a call that a guard rejected does not run, even if it is approved
  return run.options.ports.needsApproval({ call, settings });
};
