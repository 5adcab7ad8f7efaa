import type { PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import type { Stop } from '../../verdict.js';
import type { EarlierText } from './across-parts.js';
import type { TextPart } from './chunk.js';
import type { Segment } from './segment.js';

/** A stage of the guards that a text passes: receives its segments in order, its end, and the end of the step. */
export interface TextStage {
  add(lane: TextPart, segment: Segment): void;
  end(lane: TextPart): void;
  endStep(): void;
}

/** The state that the stages of one model call share. */
export interface Gate {
  /** The context of hooks; its signal is aborted when a guard stops the stream. */
  readonly scope: RunScope;
  /** The accepted text of the run before a model's call, from its messages. */
  readonly earlierTexts: readonly EarlierText[] | undefined;
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
