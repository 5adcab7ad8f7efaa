import { isChunk } from './emit.js';
import type { Chunk } from './ports.js';
import { keyOfCall } from './tool-call.js';
import { findToolPart } from './response.js';
import type { Run } from './run.js';
import { responseParts } from './step-record.js';
import { fieldsIn } from '../phase/plain-data.js';

/** The ids that a run has given to parts and calls. */
export const idsOf = (run: Run) => ({
  used: run.usedPartIds,
  /** The provider's ids of calls that got another one, by that one. */
  given: run.givenCallIds,
  /** Whether an earlier step has this call, and it has no result yet. */
  isOpen: (id: string): boolean => findToolPart(responseParts(run), id)?.toolInvocation.state === 'call',
});

/**
 * Creates run-wide ids for the parts of one model call. Providers number parts and tool calls anew in each call (`0`, `txt-0`, `call_0`).
 * Without unique ids a client could not match a retraction to its parts, and a tool's result would go to an older call.
 *
 * A repeated tool call with the same id and arguments is one call and runs once. A different call under the id of an earlier one (some
 * providers give all of them the same) gets its own id, so that each has its own approval and result. A result belongs to the last call with
 * its id that has none; some tools of a provider respond in a later step.
 */
export const createPartIds = ({ used, given, isOpen }: ReturnType<typeof idsOf>) => {
  const owned = new Map<string, string>();
  const seenCalls = new Set<string>();
  /** Provider's ids of calls that are complete. */
  const complete = new Set<string>();
  /** Calls of this response, and those with a result in it. */
  const called = new Set<string>();
  const answered = new Set<string>();
  const claim = (id: string, type: string): string => {
    const free = freeId(used, id || unnamed);
    owned.set(id, free);
    if (free !== id && callStarts.has(type)) given.set(free, id);
    return free;
  };
  const callOf = (id: string, { payload }: Chunk): string => {
    const calls = [...used].filter((own) => (given.get(own) ?? own) === id);
    const open = calls.findLast((own) => !answered.has(own) && (called.has(own) || isOpen(own)));
    const call = open ?? owned.get(id) ?? id;
    if (!fieldsIn(payload)['preliminary']) answered.add(call);
    return call;
  };
  /** The last part that is no reasoning. */
  let last: string | undefined;
  const idOfPart = (id: string, type: string): string => {
    if (type === 'text-start' && (last ?? id) !== id) owned.delete(id); // a text that starts again after another part is a part of its own
    if (!type.startsWith('reasoning-')) last = id;
    return owned.get(id) ?? claim(id, type);
  };
  /** Undefined for a repeated call. */
  const idOfCall = (id: string, chunk: Chunk): string | undefined => {
    const { type } = chunk;
    if (type === 'tool-result') return callOf(id, chunk);
    const key = isChunk(chunk, 'tool-call') ? `${id} ${keyOfCall(chunk.payload)}` : undefined;
    const isRepeated = key !== undefined && seenCalls.has(key);
    if (!isRepeated && callStarts.has(type) && complete.delete(id)) owned.delete(id);
    if (key === undefined) return idOfPart(id, type);
    complete.add(id);
    if (isRepeated) return undefined;
    seenCalls.add(key);
    const own = idOfPart(id, type);
    called.add(own);
    return own;
  };
  /** Gives a chunk its run-wide id; the same object if nothing changed. Undefined if it repeats an earlier chunk. */
  return (chunk: Chunk): Chunk | undefined => {
    const id = partIdOf(chunk);
    if (id === undefined) return chunk;
    const isOfCall = chunk.type.startsWith('tool-');
    const own = isOfCall ? idOfCall(id, chunk) : idOfPart(id, chunk.type);
    if (own === undefined) return undefined;
    return own === id ? chunk : { ...chunk, payload: { ...fieldsIn(chunk.payload), [isOfCall ? 'toolCallId' : 'id']: own } };
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
  const id = field && fieldsIn(payload)[field];
  return typeof id === 'string' ? id : undefined;
};

const idField = (type: string): 'id' | 'toolCallId' | undefined => {
  if (type.startsWith('text-') || type.startsWith('reasoning-')) return 'id';
  return type.startsWith('tool-') ? 'toolCallId' : undefined;
};
