import type { Pattern, TextSpan } from '../../src/guard/pattern.js';

/** How one kind of value is recognised: what a {@link Pattern} says about places, without what becomes of a match. */
export type Finder = Required<Omit<Pattern, 'replace' | 'isStepwise' | 'find'>> & {
  /** The matches that start from `from` up to `until`; without `until` all that follow. */
  find(text: string, from: number, until?: number): readonly TextSpan[];
  /** Whether its values end where another thing begins, so that none that began inside one goes on behind it. Default: they do not. */
  readonly isClosed?: boolean;
};

/**
 * Decides about a match of an expression: where the value that begins with it ends, or undefined where it is none. It looks no
 * further ahead than the expression does.
 */
export type ReadMatch = (text: string, match: TextSpan) => number | undefined;
