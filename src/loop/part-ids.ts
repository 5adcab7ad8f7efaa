import type { Chunk } from './ports.js';

/** Gives the parts of one model call ids that no other call of the run has. */
export interface PartIds {
  /** The chunk under its run-wide id; the same object where nothing had to change. */
  own(chunk: Chunk): Chunk;
}

/**
 * Providers number their parts anew in each call (`0`, `txt-0`). Across steps and attempts the ids must differ, or a client
 * could not tell what a retraction takes back.
 */
export const createPartIds = (used: Set<string>): PartIds => {
  const owned = new Map<string, string>();
  const claim = (id: string): string => {
    let free = id;
    for (let n = 2; used.has(free); n += 1) free = `${id}-${n}`;
    used.add(free);
    owned.set(id, free);
    return free;
  };
  return {
    own: (chunk) => {
      if (!chunk.type.startsWith('text-') && !chunk.type.startsWith('reasoning-')) return chunk;
      const { id } = chunk.payload as { id?: string };
      if (typeof id !== 'string') return chunk;
      const free = owned.get(id) ?? claim(id);
      return free === id ? chunk : { ...chunk, payload: { ...(chunk.payload as object), id: free } };
    },
  };
};
