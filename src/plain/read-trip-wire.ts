import type { Host, TripSignal } from '../phase/host.js';

/** Fields of a tripwire besides its reason. */
const optionNames: ReadonlySet<string> = new Set(['retry', 'metadata'] satisfies (keyof TripSignal)[]);

/**
 * Reads a thrown value as a tripwire by its shape: an error with `options`, of which there are two, and a `processorId`. This also
 * recognizes tripwires of another copy of Mastra, or of none.
 */
export const readTripWire: Host['readTripWire'] = (error) => {
  if (!(error instanceof Error) || !Object.hasOwn(error, 'processorId')) return undefined;
  const { message, options, processorId } = error as Error & { options?: unknown; processorId?: string };
  if (typeof options !== 'object' || options === null || !Object.keys(options).every((name) => optionNames.has(name)))
    return undefined;
  return { reason: message, ...options, processorId };
};
