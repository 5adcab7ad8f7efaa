import type { Processor } from '@mastra/core/processors';
import { definePhase } from '../row.js';
import { messageArgs, settleMessages, type MessageInfo } from '../settle-messages.js';

type OutputResult = Parameters<NonNullable<Processor['processOutputResult']>>[0]['result'];

const facts: MessageInfo = { scope: 'response', source: 'response' };

const noResult: OutputResult = {
  text: '',
  usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
  finishReason: 'unknown',
  steps: [],
};

/** `processOutputResult`: once, when the response is complete. */
export const outputResult = definePhase({
  phase: 'outputResult',
  hook: 'processOutputResult',
  cadence: 'once',
  lane: 'output',
  retryLeadsTo: 'extra-step',
  loopState: 'finishing',
  title: 'Output result',
  carries: facts,
  invoke: ({ processor, data, context, host }) =>
    processor.processOutputResult({
      ...context,
      ...messageArgs(data, host, facts),
      result: (data.result ?? noResult) as OutputResult, // steps are the host's own records
    }),
  settle: (returned, options) => settleMessages(returned, options, facts),
});
