import type { PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import type { Stop } from '../../verdict.js';
import type { SaidText } from './across-parts.js';
import type { TextPart } from './chunk.js';
import type { Segment } from './segment.js';

/** Where a text goes on its way through guards: stretches of it, in order, its end, and the end of the step. */
export interface TextStage {
  add(lane: TextPart, segment: Segment): void;
  end(lane: TextPart): void;
  endStep(): void;
}

/** What the stages of one model call share. */
export interface Gate {
  /** What hooks are handed; its signal is aborted where a guard stops the stream. */
  readonly scope: RunScope;
  /** The accepted words of the run before a model's call, as its messages have them. */
  readonly said: readonly SaidText[] | undefined;
  /** A chunk as guards are given it. */
  payloadOf(part: unknown): PhaseData<'outputStream'>;
  /** Whether a guard has stopped the stream: nothing more leaves. Guards may still be asked about earlier chunks. */
  readonly isStopping: boolean;
  /** Whether it is known which stop counts: nothing more is judged. */
  readonly isStopped: boolean;
  /** Whether a guard has stopped the stream before a place: what is there is not judged any more. */
  isStoppingBefore(place: number): boolean;
  /**
   * Where the answer has come to, counted in characters of its texts and in other chunks, so that a text has the same places however it is
   * cut. A window's place is that of its last character.
   */
  readonly place: number;
  /** Stops the stream for a verdict about a place; default: the last that came. */
  stop(verdict: Stop, place?: number): void;
  /** Hands text to several guards: no stop counts before each of them has it. */
  handOut<T>(act: () => T): T;
  /** How many guards are at work. */
  readonly busy: number;
  /** A guard that was asked about a place takes its time. */
  begin(place: number): void;
  /** It has answered, and what it cleared may go on. */
  done(place: number): void;
  /** Something failed that no verdict tells: the run fails with it. */
  fail(error: unknown): void;
  /** Asks to be called whenever a guard that took its time has answered, or the stream is stopped. */
  onProgress(listener: () => void): void;
}
