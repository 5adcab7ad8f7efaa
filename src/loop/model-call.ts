import type { Chunk } from './ports.js';

/** A call of the model that is under way. */
export interface ModelCall {
  readonly startedAt: number;
  /** The chunks of the response, once the provider has started to respond; rejects with the provider's error. */
  readonly chunks: Promise<AsyncIterable<Chunk | undefined>>;
  /** Ends the call, whatever its state: its response is no longer needed. */
  hangUp(): void;
}
