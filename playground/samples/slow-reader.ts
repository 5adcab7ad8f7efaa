import { setTimeout as sleep } from 'node:timers/promises';
import type { Processor } from '@mastra/core/processors';

/** So long it takes to read one window. */
const readingMs = 120;

/** A guard of the stream that takes its time, as a model would: what it reads is held meanwhile. */
export const slowReader: Processor = {
  id: 'slow-reader',
  processOutputStream: async ({ part, abortSignal }) => {
    if (part.type === 'text-delta') await sleep(readingMs, undefined, { signal: abortSignal });
    return part;
  },
};
