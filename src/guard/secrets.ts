import type { Processor } from '@mastra/core/processors';

/** How a value that is hidden from a model is named to it, e.g. `[EMAIL_1]`. */
export const placeholder = /\[[A-Z][A-Z0-9_]{0,31}_\d{1,6}\]/;

/** The placeholder of a hidden value in a recorded run: `⟦EMAIL_1⟧` for the value that the model gets as `[EMAIL_1]`. */
export const standIn = /⟦[A-Z][A-Z0-9_]{0,31}_\d{1,6}⟧/;

/** The stand-in for the value of a placeholder. */
export const standInOf = (name: string): string => `⟦${name.slice(1, -1)}⟧`;

/** The placeholder of a stand-in. */
export const placeholderOf = (name: string): string => `[${name.slice(1, -1)}]`;

/** A processor that keeps values which must not be recorded. */
export interface SecretsProcessor extends Processor {
  /** A text as it may be written down: with placeholders for the values in it. `state` is the processor's own in the run. */
  readonly conceal?: (text: string, state: object) => string;
  /** The run is replayed from what was written down, in which stand-ins take the place of values. */
  readonly expectStandIns?: (state: object) => void;
}
