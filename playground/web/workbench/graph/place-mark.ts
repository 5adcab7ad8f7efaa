import type { Tone } from '../../../fold/facts.js';

/** The mark of an element of the graph, shown next to its name. */
export interface PlaceMark {
  readonly tone: Tone;
  /** A word for the tone, which is never the only cue. */
  readonly label: string;
}
