import type { AgentConfig, AgentExecutionOptionsBase } from '@mastra/core/agent';
import type { z } from 'zod';
import { mastraOptions } from './mastra-options.js';
import type { OptionRow, Refused, Treatment } from './option-row.js';
import { ownOptions } from './own-options.js';

/** Where an option is given. */
export type OptionPlace = 'call' | 'config';

/** Mastra's types name their options: one that a new version adds does not compile until it has its row. */
type MastraRows = Readonly<Record<keyof AgentExecutionOptionsBase<unknown>, { readonly call: Treatment }>> &
  Readonly<Record<keyof AgentConfig, { readonly config: Treatment }>>;

const rows = { ...ownOptions, ...mastraOptions } satisfies MastraRows;
type Rows = typeof rows;

export type OptionName = keyof Rows;
/** The options of a call, or of a configuration. */
export type NameIn<Place extends OptionPlace> = {
  [Name in OptionName]: Rows[Name] extends Readonly<Record<Place, Treatment>> ? Name : never;
}[OptionName];

/** Every option of an agent, a row each. Types, checks, defaults, and what a client, a supervisor or a resuming call may give come from it. */
export const optionTable: Readonly<Record<string, OptionRow>> = rows;

/** Options of one of Interlock's tables that a place has. */
type OwnIn<Place extends OptionPlace> = keyof typeof ownOptions & NameIn<Place>;

type ValuesOf<Own, Place extends OptionPlace> = {
  -readonly [Name in keyof Own]?: Own[Name] extends Readonly<Record<Place, z.ZodType<infer Value>>> ? Value : never;
};

/** Interlock's own options in one place, with the types of their schemas. */
export type OwnOptions<Place extends OptionPlace> = Pick<ValuesOf<typeof ownOptions, Place>, OwnIn<Place>>;

type RefusedIn<Place extends OptionPlace, When extends Refused['refused']> = {
  [Name in OptionName]: Rows[Name] extends Readonly<Record<Place, Refused<infer Is>>> ? (Is extends When ? Name : never) : never;
}[OptionName];

/** Options that are rejected, by the types too. */
export type RejectedOptions<Place extends OptionPlace> = { readonly [Name in RefusedIn<Place, 'always'>]?: never } & {
  readonly [Name in RefusedIn<Place, 'unless-false'>]?: false;
};

/** Options that a call that resumes a run may give. */
export type ResumeName = {
  [Name in NameIn<'call'>]: Rows[Name] extends { readonly onResume: 'allowed' | 'allowed-and-delegated' } ? Name : never;
}[NameIn<'call'>];

/** Names of the options for which something holds. */
export const namesWhere = (holds: (row: OptionRow, name: string) => boolean): ReadonlySet<string> =>
  new Set(Object.entries(optionTable).flatMap(([name, row]) => (holds(row, name) ? [name] : [])));

const byName: ReadonlyMap<string, OptionRow> = new Map(Object.entries(rows));

export const rowOf = (name: string): OptionRow | undefined => byName.get(name);

/** Whether values of an option are honoured, rather than rejected or without effect. */
export const isHonoured = (treatment: Treatment): treatment is z.ZodType => !('refused' in treatment);

const isLetThrough = ({ refused }: Refused, value: unknown): boolean =>
  refused === 'never' || (refused === 'unless-false' && value === false);

/** Why a value is rejected; undefined where it asks for nothing that is not done anyway. */
export const refusalOf = (treatment: Refused, value: unknown): string | undefined =>
  isLetThrough(treatment, value) ? undefined : (treatment.detail ?? 'it is not supported.');

/** Whether an option of a call is taken because nothing is changed by it. */
export const changesNothing = (name: string, value: unknown): boolean => {
  const treatment = rowOf(name)?.call;
  return treatment !== undefined && !isHonoured(treatment) && isLetThrough(treatment, value);
};
