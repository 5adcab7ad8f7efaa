import { definePhase } from '../row.js';
import { messageArgs, settleMessages, type MessageFacts } from '../settle-messages.js';

const facts: MessageFacts = { scope: 'all', source: 'input' };

/** `processInput`: once, before the loop. */
export const input = definePhase({
  phase: 'input',
  hook: 'processInput',
  cadence: 'once',
  lane: 'input',
  retryLeadsTo: 'input',
  title: 'Input',
  carries: facts,
  invoke: ({ processor, data, context, scope }) =>
    processor.processInput({ ...context, ...messageArgs(data, scope.host, facts.scope) }),
  settle: (returned, settling) => settleMessages(returned, settling, facts),
});
