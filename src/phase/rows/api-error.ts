import { pass } from '../../verdict.js';
import { definePhase } from '../row.js';
import { describeValue, invalidResult, messageArgs, refreshed, type MessageInfo } from '../settle-messages.js';

const facts: MessageInfo = { scope: 'all', source: 'input' };

/** `processAPIError`: the model call failed; the hook may change messages and request another call. */
export const apiError = definePhase({
  phase: 'apiError',
  hook: 'processAPIError',
  cadence: 'error',
  lane: 'error',
  retryLeadsTo: 'call',
  loopState: 'step.recovering',
  title: 'API error',
  carries: facts,
  skips: (data) => data.decision === 'retry',
  invoke: ({ processor, data, context, host }) =>
    processor.processAPIError({
      ...context,
      ...messageArgs(data, host, facts),
      error: data.error,
      stepNumber: data.stepNumber,
      steps: data.steps ?? [],
      messageId: data.messageId,
      rotateResponseMessageId: data.rotateResponseMessageId,
      retryCount: data.retryCount ?? 0, // tries of this call, not granted retries
    }),
  settle: (returned, { data, processorId, host }) => {
    if (returned === undefined || returned === null) return pass;
    const retry = typeof returned === 'object' ? (returned as { retry?: unknown }).retry : undefined;
    if (typeof retry !== 'boolean')
      throw invalidResult(data, processorId, {
        detail: `it returned ${describeValue(returned)}, expected { retry: boolean } or nothing.`,
      });
    return retry ? { kind: 'edit', data: { ...refreshed(data, host, facts), decision: 'retry' } } : pass;
  },
});
