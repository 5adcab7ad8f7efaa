import type { Processor } from '@mastra/core/processors';
import type { GuardTraits } from '../../src/guard/traits.js';

/** What every ready-made guard takes. */
export interface GuardOptions {
  /** Processor id; two guards of one kind in a pipeline need two ids. Default: the guard's own, named at each guard. */
  id?: string;
  /** Called for every detection, also when the strategy does not block. Its errors are ignored, as in Mastra. */
  onViolation?: Processor['onViolation'];
}

/** A processor with the named hooks, which fits Mastra's types for them, and with its traits. */
export type GuardProcessor<Hook extends keyof Processor, Metadata = unknown> = Processor<string, Metadata> &
  Required<Pick<Processor<string, Metadata>, Hook>> & { readonly traits?: GuardTraits };

/** A guard's action on a detection: stop the run, or only report it to `onViolation`. */
export type JudgeStrategy = 'block' | 'warn';

/** An editing guard's action on a detection: stop the run, remove it from the text, or only report it. */
export type EditStrategy = JudgeStrategy | 'redact';

/** What a ready-made guard says of itself: all of them work on any host. */
const deciding = (...decides: NonNullable<GuardTraits['decides']>): GuardTraits => ({ decides, portable: true });

/** What a guard of each strategy decides, for `verify`. One that edits blocks what it cannot edit. */
export const traitsOf: Readonly<Record<EditStrategy, GuardTraits>> = {
  block: deciding('trip'),
  warn: deciding(),
  redact: deciding('edit', 'trip'),
};

/** What a guard says of itself that asks for another attempt. */
export const retrying = deciding('retry');

/** Traits of a guard that adds to the model's instructions. */
export const editing = deciding('edit');

/**
 * The answer of a hook that changes nothing. Mastra and Interlock both read `undefined` so, which the interface's types do not
 * say for every hook; the alternatives are worse in a stock agent: an empty array from `processOutputStep` removes the
 * conversation there, and the array that came in undoes what a parallel branch has changed meanwhile.
 */
export const unchanged = undefined as never;
