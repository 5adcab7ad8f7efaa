import { mastraDBMessageToSignal } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';

/** Shows the readers of a run the signals that it answers, as the guards of the input left them. It runs after these. */
export const createSignalEcho = (): Processor => {
  const shown = new Set<string>();
  return {
    id: 'signal-echo',
    processInputStep: async ({ messageList, writer }) => {
      const signals = messageList.get.input.db().filter(({ id, role }) => role === 'signal' && !shown.has(id));
      for (const message of signals) {
        shown.add(message.id);
        await writer?.custom(mastraDBMessageToSignal(message).toDataPart() as never); // Mastra types these parts apart
      }
      return undefined;
    },
  };
};
