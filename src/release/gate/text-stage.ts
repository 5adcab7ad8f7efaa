import type { PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import type { Stop } from '../../verdict.js';
import type { Lane } from './chunk.js';
import type { Segment } from './segment.js';

/** Where a text goes on its way through guards: stretches of it, in order, its end, and the end of the step. */
export interface TextStage {
  add(lane: Lane, segment: Segment): void;
  end(lane: Lane): void;
  endStep(): void;
}

/** What the stages of one model call share. */
export interface Gate {
  /** What hooks are handed; its signal is aborted where a guard stops the stream. */
  readonly scope: RunScope;
  /** A chunk as guards are given it. */
  payloadOf(part: unknown): PhaseData<'outputStream'>;
  /** Whether a guard has stopped the stream: nothing more leaves. Guards may still be asked about earlier chunks. */
  readonly isStopping: boolean;
  /** Whether it is known which stop counts: nothing more is judged. */
  readonly isStopped: boolean;
  /** Whether a guard has stopped the stream before a chunk: that one is not judged any more. */
  isStoppingBefore(chunk: number): boolean;
  /** How many chunks have come. */
  readonly chunk: number;
  /** Stops the stream for a verdict about a chunk; default: the last that came. */
  stop(verdict: Stop, chunk?: number): void;
  /** How many guards are at work. */
  readonly busy: number;
  /** A guard that was asked about a chunk takes its time. */
  begin(chunk: number): void;
  /** It has answered, and what it cleared may go on. */
  done(chunk: number): void;
  /** Something failed that no verdict tells: the run fails with it. */
  fail(error: unknown): void;
  /** Asks to be called whenever a guard that took its time has answered, or the stream is stopped. */
  onProgress(listener: () => void): void;
}
