import type { Guard } from '../../guard/in-sequence.js';
import { isPromise, whenReady, type Awaitable } from '../../phase/awaitable.js';
import type { PhaseData } from '../../phase/row.js';
import type { Verdict } from '../../verdict.js';
import type { Chunk } from './chunk.js';
import type { Gate } from './text-stage.js';

/** The next stage of chunks, or the output. A promise means that the sender must wait. */
export interface ChunkStage {
  push(chunk: Chunk, place: number): Awaitable<void>;
  /** Settles when everything that was pushed has been passed on. */
  idle(): Awaitable<void>;
}

/** Passes several chunks of one offset on, one after another. */
export const sendAll = ([chunk, ...rest]: readonly Chunk[], place: number, next: ChunkStage): Awaitable<void> =>
  chunk && whenReady(next.push(chunk, place), () => sendAll(rest, place, next));

/** A chunk, and its offset in the response. */
export interface PlacedChunk {
  readonly chunk: Chunk;
  readonly place: number;
}

/** Runs guards on a whole chunk. Returns their version, null if they drop it, undefined if the stream is stopped. */
export const judgeWhole = (
  { chunk, place: at }: PlacedChunk,
  guard: Guard<'outputStream'>,
  gate: Gate,
): Awaitable<Chunk | null | undefined> => {
  if (gate.isStoppingBefore(at)) return undefined;
  const read = (verdict: Verdict<PhaseData<'outputStream'>>): Chunk | null | undefined => {
    switch (verdict.kind) {
      case 'pass':
        return gate.isStopped ? undefined : chunk;
      case 'edit':
        return gate.isStopped ? undefined : (verdict.data.part as Chunk | null); // guards return chunks, see the row's settle
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
  gate.start(at);
  return pending.then(read).finally(() => gate.done(at));
};

/** Guards without a window: each chunk is judged as it comes, and waits for its verdict. */
export const createChunkStage = (guard: Guard<'outputStream'>, gate: Gate, next: ChunkStage): ChunkStage => ({
  push: (chunk, place) =>
    whenReady(judgeWhole({ chunk, place }, guard, gate), (judged) => (judged ? next.push(judged, place) : undefined)),
  idle: () => next.idle(),
});
