import type { Pattern, TextSpan } from '../../src/guard/pattern.js';

/** Recognizes one kind of value: the places of a {@link Pattern}, without its replacement. */
export type Finder = Required<Omit<Pattern, 'replace' | 'isStepwise' | 'find' | 'prepare'>> &
  Pick<Pattern, 'prepare'> & {
    /** The matches that start from `from` up to `until`. Default for `until`: the end of the text. */
    find(text: string, from: number, until?: number): readonly TextSpan[];
    /** Whether its values end at a fixed boundary, so that a value that starts inside one never continues after it. Default: no. */
    readonly isClosed?: boolean;
  };

/**
 * Decides about a match of an expression: returns the end of the value that starts with it, or undefined if it is none. It looks no
 * further ahead than the expression does.
 */
export type ReadMatch = (text: string, match: TextSpan) => number | undefined;
