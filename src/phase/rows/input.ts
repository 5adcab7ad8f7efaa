import { definePhase } from '../row.js';
import { messageArgs, settleMessages, type MessageInfo } from '../settle-messages.js';

const facts: MessageInfo = { scope: 'input', source: 'input' };

/** `processInput`: once, before the loop. */
export const input = definePhase({
  phase: 'input',
  hook: 'processInput',
  cadence: 'once',
  lane: 'input',
  retryLeadsTo: 'input',
  loopState: 'input',
  mayOverlap: true,
  title: 'Input',
  carries: facts,
  invoke: ({ processor, data, context, host }) => processor.processInput({ ...context, ...messageArgs(data, host, facts) }),
  settle: (returned, options) => settleMessages(returned, options, facts),
});
