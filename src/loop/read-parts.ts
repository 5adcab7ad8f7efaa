import { createTurns } from '../guard/in-steps.js';
import type { Chunk, PartSource } from './ports.js';

/** A cached answer as a model would give it. */
export async function* replay(chunks: readonly Chunk[], runId: string): AsyncGenerator<Chunk> {
  const takeTurn = createTurns();
  for (const chunk of chunks) {
    const pending = takeTurn();
    if (pending) await pending;
    yield { ...chunk, runId, from: 'AGENT' };
  }
}

/**
 * A model's stream, one part at a time and on demand: the provider is asked for no more than the reader of the run takes.
 * Whoever stops reading cancels the provider's stream.
 */
export async function* readParts<T>(parts: PartSource, toChunk: (part: unknown) => T): AsyncGenerator<T> {
  const reader = parts.getReader();
  const takeTurn = createTurns();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const pending = takeTurn(); // the provider may have all of its answer ready
      if (pending) await pending;
      yield toChunk(value);
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
