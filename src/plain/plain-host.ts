import type { Host, TripSignal } from '../phase/host.js';
import { plainPort } from './plain-port.js';
import { readTripWire } from './read-trip-wire.js';

/** The error that `abort()` throws; its shape is that of Mastra's. */
class PlainTripWire extends Error {
  override readonly name = 'TripWire';
  readonly options: Pick<TripSignal, 'retry' | 'metadata'>;
  readonly processorId: string | undefined;

  constructor({ reason, retry, metadata, processorId }: TripSignal) {
    super(reason);
    this.options = { retry, metadata };
    this.processorId = processorId;
  }
}

/**
 * A host without a framework: messages are plain data, and nothing is loaded. It serves guards with the trait `portable`, and all guards
 * if Mastra is not installed.
 */
export const plainHost = (resolveModel: Host['resolveModel']): Host => ({
  messages: plainPort,
  createTripWire: (signal) => new PlainTripWire(signal),
  readTripWire,
  resolveModel,
});
