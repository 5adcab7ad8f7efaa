import { fieldsIn } from '../../phase/plain-data.js';
import { chunkIn } from '../../stream/gate/chunk.js';
import { afterStep } from '../conversation.js';
import { stopWith, isGuarded, judgeChunk } from '../judge.js';
import type { Outcome } from '../activity.js';
import { addWritten, waitingChunk } from '../emit.js';
import type { StepRecord } from '../ports.js';
import { type ToolCall, type ToolOutcome, type Suspension, setCall, type StepCalls, type WaitingCall } from '../tool-call.js';
import { createRunningCalls } from '../running-calls.js';
import { changeAttempt, currentAttempt, type Attempt, type Run, waitingCalls } from '../run.js';
import { settleEnd } from '../settle-result.js';
import { acceptedParts, responseParts } from '../step-record.js';
import { untilAborted } from '../../phase/awaitable.js';
import { klona } from 'klona/full';

/**
 * Runs the tools of a reviewed step in parallel, up to the run's limit. Their results are judged in the order of the calls. A queued call
 * starts after an earlier call's result was accepted, never after a stop.
 *
 * No tool starts before every call that needs approval is decided. A tool that suspends the run does not delay the others: the run is
 * suspended after they finish, and a resumed run continues with the calls that are not settled.
 */
export const tools = async (run: Run): Promise<Outcome> => {
  const attempt = currentAttempt(run);
  const record = attempt.record as StepRecord; // review created it; the machine enters this activity only from there
  const stateOf = ({ toolCallId }: ToolCall) => attempt.calls.get(toolCallId);
  const calls = record.toolCalls.filter((call) => !call.providerExecuted && !stateOf(call)?.settled);
  if (await requestApprovals(run, attempt, calls)) return { kind: 'suspended' }; // before any of them runs
  if (calls.length > 0) {
    const running = createRunningCalls(run, attempt);
    const stop = await settleAll(run, attempt, { calls: calls.map((call) => stateOf(call)?.displayed ?? call), running });
    if (stop) {
      await running.halt(stop.kind === 'retry' ? 'wait' : 'cancel');
      return stop;
    }
  }
  addWritten(run, attempt);
  changeAttempt(run, { partCount: responseParts(run).length - acceptedParts(run) }); // data parts of its tools belong to it
  if (waitingCalls(run).length > 0) return { kind: 'suspended' };
  record.reason = 'tool-calls';
  const hasClientCalls = [...attempt.calls.values()].some(({ settled }) => settled === 'client');
  const stops = hasClientCalls || (await run.options.ports.shouldStop(run.state.steps, run.state.list));
  const isLast = run.state.counters.stepNumber + 1 >= run.options.limits.maxSteps;
  const { shouldContinue, outcome } = await afterStep(run, !stops && !isLast);
  return outcome ?? { kind: 'executed', stop: hasClientCalls || !(shouldContinue || (isLast && !stops)) };
};

type RunningCalls = ReturnType<typeof createRunningCalls>;

/** Returns an outcome if a guard stops on something that a tool wrote or returned. */
const settleAll = async (
  run: Run,
  attempt: Attempt,
  { calls, running }: { calls: readonly ToolCall[]; running: RunningCalls },
): Promise<Outcome | undefined> => {
  const { toolConcurrency } = run.options;
  const outcomes = calls.slice(0, toolConcurrency).map((call) => running.start(call));
  for (const [index, call] of calls.entries()) {
    const outcome = await untilAborted(outcomes[index] as Promise<ToolOutcome>, running.stopped); // it was started before its turn
    run.signal.throwIfAborted();
    if (run.state.stop) return stopWith(run, run.state.stop); // a guard stopped on what a tool wrote
    const stop = outcome && (await settle(run, attempt, { call, outcome, running }));
    if (stop) return stop;
    if (outcome && outcome.kind !== 'suspended') run.options.ports.messages.addData(run.state.list, running.writtenBy(call));
    const waiting = calls[index + toolConcurrency];
    if (waiting) outcomes.push(running.start(waiting));
  }
  return undefined;
};

interface Ended {
  call: ToolCall;
  outcome: ToolOutcome;
  running: RunningCalls;
}

/** Guards of other results may have edited its name or arguments. */
const currentCall = ({ toolCalls }: StepRecord, call: ToolCall): ToolCall => {
  const { toolName, args } = toolCalls.find(({ toolCallId }) => toolCallId === call.toolCallId) ?? call;
  return { ...call, toolName, args };
};

const settle = async (run: Run, attempt: Attempt, { call: called, outcome, running }: Ended): Promise<Outcome | undefined> => {
  const { calls } = attempt;
  const record = attempt.record as StepRecord; // see tools
  const call = currentCall(record, called);
  const { toolCallId } = call;
  if (outcome.kind === 'suspended') {
    const known = calls.get(toolCallId)?.waiting;
    if (known?.kind === 'data' && known.suspension === outcome.suspension) return undefined; // it still waits
    const judged = await judgeSuspension(run, { call, suspension: outcome.suspension });
    if (judged.waiting) setCall(calls, toolCallId, { waiting: judged.waiting });
    return judged.outcome;
  }
  setCall(calls, toolCallId, { settled: outcome.kind === 'client' ? 'client' : 'told' });
  if (outcome.kind === 'client') return undefined;
  const isApproved = outcome.kind === 'result' && calls.get(toolCallId)?.answer?.kind === 'approved';
  const release = () => running.release(call);
  return settleEnd(run, record, { call, end: isApproved ? { ...outcome, isApproved } : outcome, release });
};

/**
 * Finds the calls that need approval: by ruling of a stream guard, by the tool's setting, or by the caller's option. Each call is checked
 * once. Returns true if any call waits.
 */
const requestApprovals = async (run: Run, attempt: Attempt, calls: readonly ToolCall[]): Promise<boolean> => {
  for (const call of calls) {
    const { answer, waiting } = attempt.calls.get(call.toolCallId) ?? {};
    if (answer || waiting) continue;
    if (await needsApproval(run, attempt, call)) awaitApproval(attempt.calls, call);
    else setCall(attempt.calls, call.toolCallId, { answer: { kind: 'unasked' } });
  }
  return calls.some(({ toolCallId }) => attempt.calls.get(toolCallId)?.waiting?.kind === 'approval');
};

const needsApproval = async (run: Run, { calls, settings }: Attempt, call: ToolCall): Promise<boolean> => {
  const { ruling, given } = calls.get(call.toolCallId) ?? {};
  if (ruling) return ruling.kind === 'approval'; // a call that a guard rejected does not run, even if it is approved
  return run.options.ports.needsApproval({ call, settings, given: given?.input });
};

/** Marks a call as waiting for approval. Its arguments, as shown to the approver, can no longer change. */
const awaitApproval = (calls: StepCalls, call: ToolCall): void => {
  const displayed = klona(call);
  setCall(calls, call.toolCallId, { displayed, waiting: { kind: 'approval', call: displayed } });
};

/** The waiting call of a tool that suspended the run, with the stream guards' version of its payload, or the outcome of a stop. */
const judgeSuspension = async (
  run: Run,
  { call, suspension }: { call: ToolCall; suspension: Suspension },
): Promise<{ waiting: WaitingCall; outcome?: undefined } | { waiting?: undefined; outcome: Outcome }> => {
  if (!isGuarded(run, 'outputStream')) return { waiting: { kind: 'data', call, suspension } };
  const { approval, ...suspended } = suspension;
  const payload = await judgeForDisplay(run, { kind: 'data', call, suspension: suspended });
  if (payload.outcome) return payload;
  const decision = approval && (await judgeForDisplay(run, { kind: 'data', call, suspension }));
  if (decision?.outcome) return decision;
  const displayed = { ...suspension, payload: payload.left['suspendPayload'] };
  if (!approval || !decision) return { waiting: { kind: 'data', call, suspension, displayed } };
  const { toolName, args } = decision.left as { toolName?: string; args?: unknown };
  return { waiting: { kind: 'data', call, suspension, displayed: { ...displayed, approval: { ...approval, toolName, args } } } };
};

/** The stream guards' version of a waiting call's chunk. */
const judgeForDisplay = async (run: Run, waiting: WaitingCall) => {
  const { data, outcome } = await judgeChunk(run, waitingChunk(run, waiting));
  if (outcome) return { outcome };
  return { left: fieldsIn(chunkIn(data)?.payload) };
};
