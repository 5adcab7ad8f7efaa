import { klona } from 'klona/full';
import type { Chunk } from './ports.js';
import { agentChunk, publish } from './emit.js';
import type { Run } from './run.js';
import type { WaitingCall } from './step-calls.js';

/** JSON schema of an approval. */
const approvalSchema = JSON.stringify({
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
  required: ['approved'],
});

/** A waiting call, as a chunk for Mastra's clients. */
export const waitingChunk = (run: Run, waiting: WaitingCall): Chunk => {
  const { toolCallId, toolName, args } = klona(waiting.call);
  if (waiting.kind === 'approval')
    return agentChunk(run, 'tool-call-approval', { toolCallId, toolName, args, resumeSchema: approvalSchema });
  const { payload, resumeSchema = '', approval } = waiting.suspension;
  if (approval) {
    const inner = { toolName, args, ...approval };
    return agentChunk(run, 'tool-call-approval', { ...inner, toolCallId, resumeSchema: approvalSchema });
  }
  return agentChunk(run, 'tool-call-suspended', { toolCallId, toolName, args, suspendPayload: payload, resumeSchema });
};

/** The calls that a run is suspended for. */
export const waitingCalls = ({ attempt }: Run): readonly WaitingCall[] => [...(attempt?.stepCalls.waiting.values() ?? [])];

/** Publishes the waiting calls, and what each waits for. */
export const publishWaiting = async (run: Run): Promise<void> => {
  for (const waiting of waitingCalls(run)) await publish(run, waitingChunk(run, waiting));
};
