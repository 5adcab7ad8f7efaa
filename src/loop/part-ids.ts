import type { Chunk, ToolCall } from './ports.js';
import { keyOfCall } from './reuse.js';

/** Makes the part ids of one model call unique in the run. */
export interface PartIds {
  /** The chunk under its run-wide id; the same object if nothing changed. Undefined if it repeats an earlier chunk. */
  withUniqueId(chunk: Chunk): Chunk | undefined;
}

/**
 * Creates run-wide ids for the parts of one model call. Providers number parts and tool calls anew in each call (`0`, `txt-0`, `call_0`).
 * Without unique ids a client could not match a retraction to its parts, and a tool's result would go to an older call.
 *
 * A repeated tool call with the same id and arguments is one call and runs once. A different call under the id of an earlier one (some
 * providers give all of them the same) gets its own id, so that each has its own approval and result.
 */
export const createPartIds = (used: Set<string>): PartIds => {
  const owned = new Map<string, string>();
  const seenCalls = new Set<string>();
  /** Provider's ids of calls that are complete. */
  const complete = new Set<string>();
  const claim = (id: string): string => {
    const free = freeId(used, id || unnamed);
    owned.set(id, free);
    return free;
  };
  return {
    withUniqueId: (chunk) => {
      const field = idField(chunk.type);
      const id = partIdOf(chunk);
      if (id === undefined) return chunk;
      const key = chunk.type === 'tool-call' ? `${id} ${keyOfCall(chunk.payload as ToolCall)}` : undefined;
      const isRepeated = key !== undefined && seenCalls.has(key);
      if (!isRepeated && callStarts.has(chunk.type) && complete.delete(id)) owned.delete(id);
      if (key !== undefined) complete.add(id);
      if (isRepeated) return undefined;
      if (key !== undefined) seenCalls.add(key);
      // A result may belong to a call of an earlier step that the provider runs itself: it needs no new id.
      const free = owned.get(id) ?? (chunk.type === 'tool-result' ? id : claim(id));
      return free === id ? chunk : { ...chunk, payload: { ...(chunk.payload as object), [field as string]: free } };
    },
  };
};

/** An id that no other part of the run has, derived from the preferred name. */
export const freeId = (used: Set<string>, name: string): string => {
  let free = name;
  for (let n = 2; used.has(free); n += 1) free = `${name}-${n}`;
  used.add(free);
  return free;
};

/** The id for parts without one, so that consecutive ones can be distinguished. */
const unnamed = 'unnamed';

const callStarts = new Set(['tool-call-input-streaming-start', 'tool-call']);

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
