import type { Chunk } from './ports.js';

/** A call of the model that is under way. */
export interface ModelCall {
  readonly startedAt: number;
  /** The chunks of its answer, once the provider has begun to give it; rejects with what the provider failed with. */
  readonly chunks: Promise<AsyncIterable<Chunk | undefined>>;
  /** Ends the call, whatever became of it: nobody waits for its answer any more. */
  hangUp(): void;
}
