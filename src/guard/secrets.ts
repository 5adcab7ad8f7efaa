import type { Processor } from '@mastra/core/processors';
import type { Awaitable } from '../phase/awaitable.js';

/** The placeholder that a model gets for a hidden value, e.g. `[EMAIL_1]`. */
export const placeholder = /\[[A-Z][A-Z0-9_]{0,31}_\d{1,6}\]/;

/** The placeholder of a hidden value in a recorded run: `⟦EMAIL_1⟧` for the value that the model gets as `[EMAIL_1]`. */
export const standIn = /⟦[A-Z][A-Z0-9_]{0,31}_\d{1,6}⟧/;

/** The stand-in for the value of a placeholder. */
export const standInOf = (name: string): string => `⟦${name.slice(1, -1)}⟧`;

/** The placeholder of a stand-in. */
export const placeholderOf = (name: string): string => `[${name.slice(1, -1)}]`;

/** A processor with secrets that must not be recorded. */
export interface SecretsProcessor extends Processor {
  /** The recordable version of a text: with placeholders for its secrets. `state` is the processor's own in the run. */
  readonly conceal?: (text: string, state: object) => string;
  /** Reads texts before they are recorded, for secrets that `conceal` cannot find by itself. */
  readonly readAhead?: (texts: readonly string[], state: object) => Awaitable<unknown>;
  /** Prepares for a replay, whose recorded texts contain stand-ins for secrets. */
  readonly expectStandIns?: (state: object) => void;
}
