import { definePhase } from '../row.js';
import { messageArgs, settleMessages, type MessageFacts } from '../settle-messages.js';

const facts: MessageFacts = { scope: 'all', source: 'response', emptyMeansUnchanged: true };

const noUsage = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };

/** `processOutputStep`: the answer of one step, before any of its tools runs. */
export const outputStep = definePhase({
  phase: 'outputStep',
  hook: 'processOutputStep',
  cadence: 'step',
  lane: 'output',
  retryLeadsTo: 'step',
  title: 'Output step',
  carries: facts,
  invoke: ({ processor, data, context, scope }) =>
    processor.processOutputStep({
      ...context,
      ...messageArgs(data, scope.host, facts.scope),
      stepNumber: data.stepNumber,
      finishReason: data.finishReason,
      providerMetadata: data.providerMetadata as never, // the provider's own, carried through
      toolCalls: data.toolCalls as never, // args are whatever the model sent
      text: data.text,
      usage: { ...noUsage, ...data.usage },
      steps: data.steps ?? [],
    }),
  settle: (returned, settling) => settleMessages(returned, settling, facts),
});
