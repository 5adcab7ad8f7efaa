import { klona } from 'klona/full';
import { copyPlain } from '../phase/plain-data.js';
import type { Chunk } from './ports.js';
import type { ToolCall, Suspension } from './tool-call.js';
import { agentChunk, publish } from './emit.js';
import type { Run } from './run.js';
import { isGuarded, judgeChunk } from './judge.js';
import type { Outcome } from './activity.js';
import type { WaitingCall } from './step-calls.js';

/** JSON schema of an approval. */
const approvalSchema = JSON.stringify({
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
  required: ['approved'],
});

/** A waiting call, as a chunk for Mastra's clients. */
export const waitingChunk = (run: Run, waiting: WaitingCall): Chunk => {
  const { toolCallId, toolName, args } = copyPlain(waiting.call);
  if (waiting.kind === 'approval')
    return agentChunk(run, 'tool-call-approval', { toolCallId, toolName, args, resumeSchema: approvalSchema });
  const { payload, resumeSchema = '', approval } = waiting.displayed ?? waiting.suspension;
  if (approval) {
    const inner = { toolName, args, ...approval };
    return agentChunk(run, 'tool-call-approval', { ...inner, toolCallId, resumeSchema: approvalSchema });
  }
  return agentChunk(run, 'tool-call-suspended', { toolCallId, toolName, args, suspendPayload: klona(payload), resumeSchema });
};

/** The waiting call of a tool that suspended the run, with the stream guards' version of its payload, or the outcome of a stop. */
export const judgeSuspension = async (
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
  return { left: ((data.part as Chunk | null | undefined)?.payload ?? {}) as Readonly<Record<string, unknown>> }; // of our own chunk
};

/** The calls that a run is suspended for. */
export const waitingCalls = ({ state: { attempt } }: Run): readonly WaitingCall[] =>
  [...(attempt?.calls.values() ?? [])].flatMap(({ waiting }) => waiting ?? []);

/**
 * Publishes what each waiting call waits for. `held`: the chunks that wait for the guards of the whole answer; the waiting calls among
 * them are accepted, because the guards of their step have judged them. Each call leaves once.
 */
export const publishWaiting = async (run: Run, held: readonly Chunk[]): Promise<void> => {
  const waiting = waitingCalls(run);
  const { shownCalls } = run.state;
  const ids = waiting.map(({ call }) => call.toolCallId).filter((id) => !shownCalls.includes(id));
  const calls = held.filter(isOfCall(ids));
  for (const call of calls) await publish(run, call);
  run.change({ shownCalls: [...shownCalls, ...ids.filter((id) => calls.some(isOfCall([id])))] });
  for (const call of waiting) await publish(run, waitingChunk(run, call));
};

/** Whether a chunk is the call, or a piece of the call, of one of these ids. */
export const isOfCall =
  (ids: readonly string[]) =>
  ({ type, payload }: Chunk): boolean =>
    type.startsWith('tool-call') && ids.includes((payload as { toolCallId: string }).toolCallId); // all chunks of calls have it
