import type { Host } from './host.js';
import type { HookContext } from './row.js';
import { listOf, type MessageCarrier } from './settle-messages.js';

/**
 * Context of a hook over messages, which may also add a signal to the conversation, such as a hidden reminder for the model. The
 * client gets it as a data part.
 */
export const withSignals = (context: HookContext, data: MessageCarrier, host: Host): HookContext => ({
  ...context,
  sendSignal: async (given) => {
    const signal = host.messages.addSignal(listOf(data), given);
    await context.writer?.custom(signal.toDataPart());
    return signal;
  },
});
