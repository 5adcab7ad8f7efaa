import { definePhase } from '../row.js';
import { messageArgs, settleMessages, type MessageFacts } from '../settle-messages.js';

const facts: MessageFacts = { scope: 'response', source: 'response' };

const noResult = { text: '', usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 }, finishReason: 'unknown', steps: [] };

/** `processOutputResult`: once, when the answer is complete. */
export const outputResult = definePhase({
  phase: 'outputResult',
  hook: 'processOutputResult',
  cadence: 'once',
  lane: 'output',
  retryLeadsTo: 'extra-step',
  title: 'Output result',
  carries: facts,
  invoke: ({ processor, data, context, scope }) =>
    processor.processOutputResult({
      ...context,
      ...messageArgs(data, scope.host, facts.scope),
      result: (data.result ?? noResult) as never, // steps are the host's own records
    }),
  settle: (returned, settling) => settleMessages(returned, settling, facts),
});
