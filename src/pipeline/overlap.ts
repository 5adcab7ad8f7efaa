/** Two or more branches that edited the same words or set the same field. */
export interface Overlap {
  /** What was there before. */
  readonly base: unknown;
  /** What each branch made of it, in the order of the branches. */
  readonly edits: readonly { readonly author: string; readonly value: unknown }[];
  /** Where, e.g. `messages.3.content.parts.0.text`. */
  readonly target: string;
}

/**
 * Who wins where two branches edited the same words: the one that removes most (`widest-redaction`, the default), the `first`
 * or `last` in the order of the branches, nobody (`error`, the run fails), or what a function gives back.
 */
export type OverlapRule = 'widest-redaction' | 'first' | 'last' | 'error' | ((overlap: Overlap) => unknown);

export const nameOfRule = (rule: OverlapRule): string => (typeof rule === 'function' ? rule.name || 'function' : rule);
