import { klona } from 'klona/full';
import { copyPlain } from '../phase/plain-data.js';
import type { Chunk } from './ports.js';
import { agentChunk } from './emit.js';
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

/** The calls that a run is suspended for. */
export const waitingCalls = ({ state: { attempt } }: Run): readonly WaitingCall[] =>
  [...(attempt?.calls.values() ?? [])].flatMap(({ waiting }) => waiting ?? []);
