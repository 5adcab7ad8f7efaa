import { decide, type Overlap, type OverlapRule } from './overlap.js';

/** One branch's version of a value. */
export interface Version<T = unknown> {
  readonly author: string;
  readonly value: T;
}

export interface MergeOptions {
  readonly rule: OverlapRule;
  /** Called for every overlap before the rule decides it. */
  readonly onOverlap: (overlap: Overlap) => void;
  /** Whether the value at a target is merged as a whole. Default: no value is. */
  readonly isWhole?: (target: string) => boolean;
  /**
   * Whether the value at a target is bookkeeping (ids, times): if branches differ there, any of their values is used, and no
   * overlap is reported. Default: never.
   */
  readonly isBookkeeping?: (target: string) => boolean;
}

/** The path of a value in the merged payload, and its merge options. */
export interface MergeTarget {
  readonly options: MergeOptions;
  /** Dotted, e.g. `messages.3.content.parts.0.text`; empty at the top. */
  readonly target: string;
}

/** The target of a value inside another. */
export const within = ({ options, target }: MergeTarget, key: string | number): MergeTarget => ({
  options,
  target: target ? `${target}.${key}` : String(key),
});

/** Reports an overlap and applies the rule. `isWhole`: the value is not prose. */
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
