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
  /** Whether a guard has stopped the stream: nothing new is judged then. */
  readonly isStopping: boolean;
  stop(verdict: Stop): void;
  /** How many guards are at work. */
  readonly busy: number;
  /** A guard takes its time. */
  begin(): void;
  /** It has answered, and what it cleared may go on. */
  done(): void;
  /** Something failed that no verdict tells: the run fails with it. */
  fail(error: unknown): void;
  /** Asks to be called whenever a guard that took its time has answered, or the stream is stopped. */
  onProgress(listener: () => void): void;
}
