import type { Processor } from '@mastra/core/processors';

/** Guards that look at every chunk and let it pass. */
export const streamGuards = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: `guard-${n}`,
    processOutputStream: async ({ part }: Parameters<NonNullable<Processor['processOutputStream']>>[0]) => part,
  }));

/** Guards that look at each step before and after the model call and let it pass. */
export const stepGuards = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: `guard-${n}`,
    processInputStep: async () => undefined,
    processOutputStep: async ({ messages }: Parameters<NonNullable<Processor['processOutputStep']>>[0]) => messages,
  }));
