import type { OptionKind, OptionFault } from '../../option-kind.js';

/**
 * An option without an effect here. Its value is reported in one warning per agent: always, unless it is `false`, or never, if a
 * host sets it.
 */
export interface IgnoredOption<Reports extends 'always' | 'unless-false' | 'never' = 'always' | 'unless-false' | 'never'> {
  readonly reported: Reports;
  /** The reason and the alternative. */
  readonly detail?: string;
}

/** The treatment of an option: the kind of its values, or the report that it has no effect. */
export type Treatment = OptionKind | IgnoredOption;

/** True if a call's value is less strict than the agent's. Not called for functions, which no request can contain. */
export type Loosens = (value: unknown, own: unknown) => boolean;

/** Properties of an option, in calls and configurations. */
interface OptionFacts {
  /** The value if neither the call nor the agent sets one. */
  readonly default?: unknown;
  /** Set if a client may set it through Mastra's server, which forwards every field of a request's body. Default: not allowed. */
  readonly isServed?: true;
  /** Set if a resuming call may set it; `delegated`: only a supervisor's call, which repeats it. Default: not allowed. */
  readonly onResume?: 'allowed' | 'delegated' | 'allowed-and-delegated';
  /** Set if it stays in the process that waits for a durable run. Default: persisted with the run, so it must be data. */
  readonly isLocal?: true;
  /** An additional check of a call's value, after its kind. */
  readonly check?: (value: unknown) => readonly OptionFault[];
  /** The depth to which entries of a later layer of options replace earlier ones. Default: 0, the whole value. */
  readonly mergeDepth?: number;
  /**
   * Set if a promise depends on it: misspelt, or in the wrong place, it is rejected. Interlock's own options all are such. Default:
   * it is ignored as in Mastra, with a warning.
   */
  readonly protects?: true;
  /** Values that Mastra ignores, which are reported like an ignored option. Default: none; `null` is always an absent option. */
  readonly ignores?: readonly unknown[];
  /** Decides whether a call loosens its agent's option, which is rejected. Default: any value is allowed. */
  readonly loosens?: Loosens;
}

/** An option with its treatment in a call, in a configuration, or in both. */
export interface OptionRow extends OptionFacts {
  readonly call?: Treatment;
  readonly config?: Treatment;
}

export const onCall = <Call extends Treatment, const Facts extends OptionFacts = object>(call: Call, facts?: Facts) =>
  Object.assign({ call }, facts);
export const inConfig = <Config extends Treatment, const Facts extends OptionFacts = object>(config: Config, facts?: Facts) =>
  Object.assign({ config }, facts);
export const both = <Both extends Treatment, const Facts extends OptionFacts = object>(taken: Both, facts?: Facts) =>
  Object.assign({ call: taken, config: taken }, facts);

/** The same row for several options. */
export const each = <const Name extends string, Row extends OptionRow>(row: Row, ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, row])) as Record<Name, Row>; // each name has it

const isNothing = (value: unknown): boolean => !value || (Array.isArray(value) && value.length === 0);

/** True if a call removes what the agent has. */
export const removes: Loosens = (value, own) => isNothing(value) && !isNothing(own);
