import { InterlockError } from '../errors.js';
import type { Run } from './run.js';
import type { Chunk, StreamPart } from './spec.js';
import { writeArguments } from './chunks.js';
import { GuardUnavailableError } from './stop-errors.js';

interface RuledPayload {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args?: unknown;
  readonly error?: unknown;
}

/**
 * What leaves where a guard put a ruling in a tool call's place. A rejected call leaves with the arguments that the guard lets be
 * seen, and its guarded tool tells the model why it did not run; where nobody guards the tools, the call does not leave. That a
 * person is asked is the AI SDK's `toolApproval`: a guard that asks for it fails the run. Nothing for chunks that are no ruling.
 */
export const ruledPart = (run: Run, { type, payload }: Chunk): { readonly part: StreamPart | undefined } | undefined => {
  if (type === 'tool-call-approval') throw run.end(approvalError(run));
  if (type !== 'tool-error') return undefined;
  const { toolCallId, toolName, args, error } = payload as RuledPayload; // as rejectToolCall makes it
  run.rejectedCalls.set(toolCallId, error);
  if (!run.adapters.has('guardTools')) return { part: undefined };
  return { part: { type: 'tool-call', toolCallId, toolName, input: writeArguments(args) } };
};

const approvalError = ({ plan }: Run): GuardUnavailableError => {
  const detail = 'a guard asks for a person; use the toolApproval setting of the AI SDK';
  const error = new InterlockError('ai-sdk/unsupported-field', { path: 'outputStream.part', detail });
  return new GuardUnavailableError({ error, processorId: plan.id, phase: 'outputStream', path: plan.id });
};
