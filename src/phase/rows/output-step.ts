import { definePhase } from '../row.js';
import { messageArgs, settleMessages, type MessageInfo } from '../settle-messages.js';

const facts: MessageInfo = { scope: 'all', source: 'response', emptyMeansUnchanged: true };

const noUsage = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };

/** `processOutputStep`: the response of one step, before any of its tools runs. */
export const outputStep = definePhase({
  phase: 'outputStep',
  hook: 'processOutputStep',
  cadence: 'step',
  lane: 'output',
  retryLeadsTo: 'step',
  loopState: 'step.reviewing',
  title: 'Output step',
  carries: facts,
  invoke: ({ processor, data, context, host }) =>
    processor.processOutputStep({
      ...context,
      ...messageArgs(data, host, facts),
      stepNumber: data.stepNumber,
      finishReason: data.finishReason,
      providerMetadata: data.providerMetadata,
      toolCalls: data.toolCalls,
      text: data.text,
      usage: { ...noUsage, ...data.usage },
      steps: data.steps ?? [],
    }),
  settle: (returned, options) => settleMessages(returned, options, facts),
});
