import type { Tone } from '../../components/signal.js';

/** What is said of one place of a graph beside its name. */
export interface PlaceMark {
  readonly tone: Tone;
  /** A word for the tone, which is never the only cue. */
  readonly label: string;
}
