import type { AgentConfig, AgentExecutionOptionsBase } from '@mastra/core/agent';
import type { OptionKind } from '../../option-kind.js';
import { mastraOptions } from './mastra-options.js';
import type { OptionRow, RejectedOption, Treatment } from './option-row.js';
import { ownOptions } from './own-options.js';

/** The place of an option: a call or a configuration. */
export type OptionPlace = 'call' | 'config';

/** Requires a row for each option in Mastra's types, so that a new option in a later version fails to compile without one. */
type MastraRows = Readonly<Record<keyof AgentExecutionOptionsBase<unknown>, { readonly call: Treatment }>> &
  Readonly<Record<keyof AgentConfig, { readonly config: Treatment }>>;

/** Named, so that declarations do not write every row twice. */
type Rows = typeof ownOptions & typeof mastraOptions;
const rows: Rows = { ...ownOptions, ...mastraOptions } satisfies MastraRows;

type OptionName = keyof Rows;
/** The options of a call, or of a configuration. */
export type NameIn<Place extends OptionPlace> = {
  [Name in OptionName]: Rows[Name] extends Readonly<Record<Place, Treatment>> ? Name : never;
}[OptionName];

/**
 * Every option of an agent, a row each. Types, checks, defaults, and the options allowed for a client, a supervisor or a resuming
 * call come from it.
 */
export const optionTable: Readonly<Record<string, OptionRow>> = rows;

/** Interlock's own options in one place. */
type OwnIn<Place extends OptionPlace> = keyof typeof ownOptions & NameIn<Place>;

type ValuesOf<Own, Place extends OptionPlace> = {
  -readonly [Name in keyof Own]?: Own[Name] extends Readonly<Record<Place, OptionKind<infer Value>>> ? Value : never;
};

/** Interlock's own options in one place, with the types of their kinds. */
export type OwnOptions<Place extends OptionPlace> = Pick<ValuesOf<typeof ownOptions, Place>, OwnIn<Place>>;

type RejectedIn<Place extends OptionPlace, When extends RejectedOption['rejected']> = {
  [Name in OptionName]: Rows[Name] extends Readonly<Record<Place, RejectedOption<infer Is>>>
    ? Is extends When
      ? Name
      : never
    : never;
}[OptionName];

/** Rejected options, which the types reject, too. */
export type RejectedOptions<Place extends OptionPlace> = { readonly [Name in RejectedIn<Place, 'always'>]?: never } & {
  readonly [Name in RejectedIn<Place, 'unless-false'>]?: false;
};

/** Options that a resuming call may set. */
export type ResumeName = {
  [Name in NameIn<'call'>]: Rows[Name] extends { readonly onResume: 'allowed' | 'allowed-and-delegated' } ? Name : never;
}[NameIn<'call'>];

/** Names of the options that match a predicate. */
export const namesOf = (holds: (row: OptionRow, name: string) => boolean): ReadonlySet<string> =>
  new Set(Object.entries(optionTable).flatMap(([name, row]) => (holds(row, name) ? [name] : [])));

const byName: ReadonlyMap<string, OptionRow> = new Map(Object.entries(rows));

export const rowOf = (name: string): OptionRow | undefined => byName.get(name);

/** True if an option is supported, rather than rejected or without effect. */
export const isApplied = (treatment: Treatment): treatment is OptionKind => !('rejected' in treatment);

const isLetThrough = ({ rejected }: RejectedOption, value: unknown): boolean =>
  rejected === 'never' || (rejected === 'unless-false' && value === false);

/** The reason for a rejection. Undefined if the value would have no effect. */
export const rejectionOf = (treatment: RejectedOption, value: unknown): string | undefined =>
  isLetThrough(treatment, value) ? undefined : (treatment.detail ?? 'it is not supported.');

/** True if an option of a call is accepted because it has no effect. */
export const changesNothing = (name: string, value: unknown): boolean => {
  const treatment = rowOf(name)?.call;
  return treatment !== undefined && !isApplied(treatment) && isLetThrough(treatment, value);
};
