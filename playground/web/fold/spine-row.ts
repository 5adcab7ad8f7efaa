import type { Tone } from '../../fold/facts.js';

/** A place of a pipeline in a phase: a guard, a block, or with the pipeline's id alone the whole pipeline. */
export interface Place {
  readonly phase: string;
  readonly path: string;
}

/** A row of the tree of a run: at the same time its waterfall, its attempts and its sub-runs. */
export interface SpineRow {
  readonly key: string;
  readonly runId: string;
  readonly kind: 'step' | 'guard' | 'passes' | 'model' | 'tool' | 'agent' | 'retraction' | 'end';
  readonly depth: number;
  /** The line that it leads to. */
  readonly seq: number;
  readonly name: string;
  /** The phase of a guard. */
  readonly phase?: string;
  readonly tone: Tone;
  readonly word: string;
  readonly note?: string | undefined;
  readonly isFact?: boolean;
  /** Its own time; a bar can be longer, because it waits in between. */
  readonly ownMs?: number | undefined;
  readonly from: number;
  readonly to: number;
  readonly place?: Place;
  /** The attempt that it belongs to. */
  readonly lane?: number;
  readonly toolCallId?: string;
  /** Rows below it are shown; undefined if it has none. */
  readonly isOpen?: boolean;
}

export type NewRow = Omit<SpineRow, 'key' | 'runId' | 'depth'>;

/** A row of an attempt, with the rows below it. */
export interface Item extends NewRow {
  readonly id: string;
  readonly inside?: readonly SpineRow[];
}
