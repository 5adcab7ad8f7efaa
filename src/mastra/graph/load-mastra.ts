import type { MastraParts } from './mastra-host.js';

/**
 * Loads what a host needs of Mastra, where `@mastra/core` is installed; gives nothing where it is not, for then nobody can have
 * written a guard that asks for it. Each import stands in the `try` itself: so bundlers know that it may be missing.
 */
export const loadMastra = async (): Promise<MastraParts | undefined> => {
  try {
    const { createSignal, TripWire } = await import('@mastra/core/agent');
    const { MessageList } = await import('@mastra/core/agent/message-list');
    return { createSignal, TripWire, MessageList };
  } catch {
    return undefined;
  }
};
