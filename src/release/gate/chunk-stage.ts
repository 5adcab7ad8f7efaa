import type { Guard } from '../../guard/in-sequence.js';
import { isPromise, whenReady, type Awaitable } from '../../phase/awaitable.js';
import type { PhaseData } from '../../phase/row.js';
import type { Verdict } from '../../verdict.js';
import type { Chunk } from './chunk.js';
import type { Gate } from './text-stage.js';

/** Where chunks go: to the next stage or out. A promise says that whoever sends must wait. */
export interface ChunkStage {
  push(chunk: Chunk): Awaitable<void>;
  /** Settles when everything that was pushed has gone on. */
  idle(): Awaitable<void>;
}

/** Sends several chunks on, one after another. */
export const sendAll = (chunks: readonly Chunk[], next: ChunkStage, from = 0): Awaitable<void> => {
  for (let index = from; index < chunks.length; index += 1) {
    const waiting = next.push(chunks[index] as Chunk); // as the loop's bounds say
    if (isPromise(waiting)) return waiting.then(() => sendAll(chunks, next, index + 1));
  }
  return undefined;
};

/** Asks guards about a chunk as it is: what they leave of it, null where they drop it, nothing where the stream is stopped. */
export const judgeWhole = (chunk: Chunk, guard: Guard<'outputStream'>, gate: Gate): Awaitable<Chunk | null | undefined> => {
  const at = gate.chunk;
  if (gate.isStoppingBefore(at)) return undefined;
  const read = (verdict: Verdict<PhaseData<'outputStream'>>): Chunk | null | undefined => {
    switch (verdict.kind) {
      case 'pass':
        return gate.isStopping ? undefined : chunk;
      case 'edit':
        return gate.isStopping ? undefined : (verdict.data.part as Chunk | null); // guards give back chunks, see the row's settle
      case 'trip':
      case 'retry':
      case 'unavailable':
        gate.stop(verdict, at);
        return undefined;
      default:
        return verdict satisfies never;
    }
  };
  const pending = guard(gate.payloadOf(chunk), gate.scope);
  if (!isPromise(pending)) return read(pending);
  gate.begin(at);
  return pending.then(read).finally(() => gate.done(at));
};

/** Guards without a window: each chunk is judged as it comes, and waits for its verdict. */
export const createChunkStage = (guard: Guard<'outputStream'>, gate: Gate, next: ChunkStage): ChunkStage => ({
  push: (chunk) => whenReady(judgeWhole(chunk, guard, gate), (left) => (left ? next.push(left) : undefined)),
  idle: () => next.idle(),
});
