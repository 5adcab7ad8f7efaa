import { InterlockError, isInterlockError } from '../../errors.js';

/** The reason for a stopped answer, in the form of both Mastra and Interlock. */
export interface RejectionReason {
  readonly reason?: string;
  readonly processorId?: string;
  readonly metadata?: unknown;
}

/** The supervisor's result for a sub-agent that its guards stopped: an error in place of a response. */
export const rejectionOf = (agentId: string, { reason, processorId }: RejectionReason): InterlockError => {
  const by = processorId ? ` by "${processorId}"` : '';
  return new InterlockError('agent/refused', {
    path: agentId,
    detail: `it was stopped${by}: ${reason ?? 'no reason was given'}`,
  });
};

/** The refusal in an error, which Mastra wraps in its own on the way to the supervisor. */
export const rejectionIn = (error: unknown): InterlockError | undefined => {
  for (let at = error; at instanceof Error; at = at.cause) if (isInterlockError(at, 'agent/refused')) return at;
  return undefined;
};
