import type { PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import type { Stop, Verdict } from '../../verdict.js';
import type { EarlierText } from './matcher.js';
import { chunkIn, type TextPart, type Chunk } from './chunk.js';
import type { Segment } from './segment.js';
import type { Guard } from '../../guard/in-sequence.js';
import { isPromise, type Awaitable } from '../../phase/awaitable.js';

/** A stage of the guards that a text passes: receives its segments in order, its end, and the end of the step. */
export interface TextStage {
  add(segment: Segment): void;
  end(lane: TextPart): void;
  endStep(): void;
}

/** The state that the stages of one model call share. */
export interface Gate {
  /** The context of hooks; its signal is aborted when a guard stops the stream. */
  readonly scope: RunScope;
  /** The accepted text of the run before a model's call, from its messages. */
  earlierTexts(): readonly EarlierText[] | undefined;
  /** The guards' payload for a chunk. */
  payloadOf(part: unknown): PhaseData<'outputStream'>;
  /** Whether a guard has stopped the stream: nothing more is emitted. Guards may still judge earlier chunks. */
  readonly isStopping: boolean;
  /** Whether the stop that counts is decided: nothing more is judged. */
  readonly isStopped: boolean;
  /** Whether a guard has stopped the stream before an offset: later content is not judged any more. */
  isStoppingBefore(place: number): boolean;
  /**
   * The current offset in the response: the number of characters of its texts and of other chunks, so that a text has the same offsets
   * however it is split. A window's offset is that of its last character.
   */
  readonly place: number;
  /** Stops the stream for a verdict at an offset; default: the last one received. */
  stop(verdict: Stop, place?: number): void;
  /** Passes text to several guards: no stop counts before each of them has it. */
  handOut<T>(act: () => T): T;
  /** The number of running guards. */
  readonly busy: number;
  /** Marks an asynchronous guard at an offset as running. */
  start(place: number): void;
  /** Marks it as finished; its cleared text may pass. */
  done(place: number): void;
  /** Fails the run with an error that is not a verdict. */
  fail(error: unknown): void;
  /** Adds a function to call whenever an asynchronous guard finishes, or the stream is stopped. */
  onProgress(listener: () => void): void;
}

/** The next stage of chunks, or the output. A promise means that the sender must wait. */
export interface ChunkStage {
  push(chunk: Chunk, place: number): Awaitable<void>;
  /** Settles when everything that was pushed has been passed on. */
  idle(): Awaitable<void>;
}

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
        return gate.isStopped ? undefined : chunkIn(verdict.data);
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
