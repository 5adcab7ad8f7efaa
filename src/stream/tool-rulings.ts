import type { ChunkType } from '@mastra/core/stream';

/** A tool call of the model, as `processOutputStream` gets it. */
export type ToolCallChunk = Extract<ChunkType, { type: 'tool-call' }>;
type RejectedChunk = Extract<ChunkType, { type: 'tool-error' }>;
type ApprovalChunk = Extract<ChunkType, { type: 'tool-call-approval' }>;

interface RejectOptions {
  /**
   * The arguments that the client and the model get. Default: an empty object, because the arguments may be the reason of the
   * rejection.
   */
  readonly args?: Record<string, unknown>;
}

/**
 * Rejects a tool call: a stream guard returns the result in place of the call. The tool does not run, the model gets the message
 * as the tool's error, and the run continues.
 *
 * @example
 * const noRefunds: Processor = {
 *   id: 'no-refunds',
 *   processOutputStream: async ({ part }) =>
 *     part.type === 'tool-call' && part.payload.toolName === 'refund' ? rejectToolCall(part, 'Refunds need a supervisor.') : part,
 * };
 */
export const rejectToolCall = (part: ToolCallChunk, message: string, { args = {} }: RejectOptions = {}): RejectedChunk => {
  const { toolCallId, toolName } = part.payload;
  return { ...part, type: 'tool-error', payload: { toolCallId, toolName, args, error: message } };
};

/**
 * Requires approval of a tool call: a stream guard returns the result in place of the call. No tool of the step runs, and the
 * run is `suspended` with a `tool-call-approval` chunk for the call, until a call of `approveToolCall` or
 * `declineToolCall`.
 */
export const requireApproval = (part: ToolCallChunk): ApprovalChunk => {
  const { toolCallId, toolName, args } = part.payload;
  return { ...part, type: 'tool-call-approval', payload: { toolCallId, toolName, args: { ...args }, resumeSchema: '' } };
};
