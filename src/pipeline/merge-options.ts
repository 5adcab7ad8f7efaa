import { decide, type Overlap, type OverlapRule } from './overlap.js';

/** One branch's version of a value. */
export interface Version<T = unknown> {
  readonly author: string;
  readonly value: T;
}

export interface MergeOptions {
  readonly rule: OverlapRule;
  /** Told of every overlap before the rule decides it. */
  readonly onOverlap: (overlap: Overlap) => void;
  /** Whether the thing at a target is one thing, not to be looked into. Default: nothing is. */
  readonly isWhole?: (target: string) => boolean;
  /**
   * Whether what stands at a target is kept for the books (ids, times): where branches differ there, one of them is as good as
   * another, and nobody is told. Default: nothing is.
   */
  readonly isBookkeeping?: (target: string) => boolean;
}

/** Where in the merged value something stands, and how it is merged. */
export interface MergeTarget {
  readonly options: MergeOptions;
  /** Dotted, e.g. `messages.3.content.parts.0.text`; empty at the top. */
  readonly target: string;
}

/** The place of something inside a place. */
export const within = ({ options, target }: MergeTarget, key: string | number): MergeTarget => ({
  options,
  target: target ? `${target}.${key}` : String(key),
});

/** Tells of an overlap and has the rule decide it. `isWhole` says that the thing is no prose. */
export const settle = (base: unknown, edits: readonly Version[], { place, isWhole = false }: SettleOptions): unknown => {
  const { options, target } = place;
  const overlap = { base, edits, target };
  options.onOverlap(overlap);
  return decide(overlap, options.rule, isWhole);
};

interface SettleOptions {
  place: MergeTarget;
  isWhole?: boolean;
}
