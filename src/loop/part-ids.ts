import type { Chunk } from './ports.js';

/** Gives the parts of one model call ids that no other call of the run has. */
export interface PartIds {
  /** The chunk under its run-wide id; the same object where nothing had to change. */
  own(chunk: Chunk): Chunk;
}

/**
 * Providers number their parts and tool calls anew in each call (`0`, `txt-0`, `call_0`). Across steps and attempts the ids
 * must differ, or a client could not tell what a retraction takes back, and a tool's result would go to an older call.
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
      const field = idField(chunk.type);
      const id = partIdOf(chunk);
      if (id === undefined) return chunk;
      // A result may answer a call of an earlier step that the provider runs itself: it opens nothing of its own.
      const free = owned.get(id) ?? (chunk.type === 'tool-result' ? id : claim(id));
      return free === id ? chunk : { ...chunk, payload: { ...(chunk.payload as object), [field as string]: free } };
    },
  };
};

/** The id of the part that a chunk belongs to. */
export const partIdOf = ({ type, payload }: Chunk): string | undefined => {
  const field = idField(type);
  const id = field && (payload as Record<string, unknown> | undefined)?.[field];
  return typeof id === 'string' ? id : undefined;
};

const idField = (type: string): 'id' | 'toolCallId' | undefined => {
  if (type.startsWith('text-') || type.startsWith('reasoning-')) return 'id';
  return type.startsWith('tool-') ? 'toolCallId' : undefined;
};
