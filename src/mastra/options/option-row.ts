import type { z } from 'zod';
import type { OptionFault } from '../option-fault.js';

/** An option that is rejected: always, unless its value is `false`, or never, because there is nothing that it would change. */
export interface Refused<When extends 'always' | 'unless-false' | 'never' = 'always' | 'unless-false' | 'never'> {
  readonly refused: When;
  /** Why, and the alternative. */
  readonly detail?: string;
}

/** What becomes of an option: the schema of the values that are honoured, or why it is rejected. No option is ignored. */
export type Treatment = z.ZodType | Refused;

/** Whether what a call says asks for less than what the agent has. Functions are not asked: no request can hold one. */
export type Loosens = (said: unknown, own: unknown) => boolean;

/** What is true of an option wherever it is given. */
export interface OptionFacts {
  /** The value where neither the call nor the agent gives one. */
  readonly default?: unknown;
  /** Whether a client may give it through Mastra's server, which hands on every field of a request's body. Default: it may not. */
  readonly isServed?: true;
  /** Whether a call that resumes a run may give it; `delegated`: only that of a supervisor, which repeats it. Default: it may not. */
  readonly onResume?: 'allowed' | 'delegated' | 'allowed-and-delegated';
  /** Whether it stays in the process that waits for a durable run. Default: it is kept with the run, and has to be data. */
  readonly isLocal?: true;
  /** What is wrong with a value of a call that its schema takes. */
  readonly check?: (value: unknown) => OptionFault | undefined;
  /** How deep the entries of a later layer of options replace those of an earlier one. Default 0: the value as a whole. */
  readonly mergeDepth?: number;
  /** Rejects a call that asks for less than its agent. Default: a call may give any value. */
  readonly loosens?: Loosens;
}

/** An option: what becomes of it in a call, in a configuration, or in both. */
export interface OptionRow extends OptionFacts {
  readonly call?: Treatment;
  readonly config?: Treatment;
}

export const onCall = <Call extends Treatment, const Facts extends OptionFacts = object>(call: Call, facts?: Facts) => ({
  call,
  ...(facts as Facts), // none are as good as undefined
});
export const inConfig = <Config extends Treatment, const Facts extends OptionFacts = object>(config: Config, facts?: Facts) => ({
  config,
  ...(facts as Facts),
});
export const both = <Both extends Treatment, const Facts extends OptionFacts = object>(taken: Both, facts?: Facts) => ({
  call: taken,
  config: taken,
  ...(facts as Facts),
});

export const refused = (detail: string): Refused<'always'> => ({ refused: 'always', detail });
export const unlessFalse = (detail: string): Refused<'unless-false'> => ({ refused: 'unless-false', detail });
/** Taken from hosts that hand it on; nothing here depends on it. */
export const withoutEffect: Refused<'never'> = { refused: 'never' };

const isNothing = (value: unknown): boolean => !value || (Array.isArray(value) && value.length === 0);

/** Loosens where a call takes away what the agent has. */
export const removes: Loosens = (said, own) => isNothing(said) && !isNothing(own);

export const ranksBelow = (fromLoosest: readonly unknown[], said: unknown, own: unknown): boolean =>
  fromLoosest.indexOf(said) < fromLoosest.indexOf(own);
