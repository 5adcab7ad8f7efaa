import { InterlockError } from '../errors.js';
import type { Run } from './run.js';
import type { Chunk, StreamPart } from './spec.js';
import { writeArguments } from './chunks.js';
import { GuardUnavailableError } from './stop-errors.js';

interface RuledPart {
  readonly part: StreamPart | undefined;
}

interface RuledPayload {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args?: unknown;
  readonly error?: unknown;
}

/**
 * What leaves where a guard put a ruling in a tool call's place. A rejected call leaves with the arguments that the guard lets be
 * seen, and its guarded tool tells the model why it did not run; where nobody guards the tools, the call does not leave. A call
 * that needs approval leaves, and its guarded tool makes the AI SDK ask for it; where the tools are not guarded, the run fails.
 * Nothing for chunks that are no ruling.
 */
export const ruledPart = (run: Run, { type, payload }: Chunk, mayAsk = true): RuledPart | undefined => {
  if (type !== 'tool-error' && type !== 'tool-call-approval') return undefined;
  const { toolCallId, toolName, args, error } = payload as RuledPayload; // as rejectToolCall makes it
  const isGuarded = run.adapters.has('guardTools');
  if (type === 'tool-error') run.rejectedCalls.set(toolCallId, error);
  else if (isGuarded && mayAsk) run.approvals.add(toolCallId);
  else throw run.end(approvalError(run));
  if (!isGuarded) return { part: undefined };
  return { part: { type: 'tool-call', toolCallId, toolName, input: writeArguments(args) } };
};

const approvalError = ({ plan }: Run): GuardUnavailableError => {
  const detail = 'a guard wants the call approved, and it was not; see needsApproval and toolApproval of the AI SDK.';
  const error = new InterlockError('ai-sdk/unsupported-field', { path: 'outputStream.part', detail });
  return new GuardUnavailableError({ error, processorId: plan.id, phase: 'outputStream', path: plan.id });
};
