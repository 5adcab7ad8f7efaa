import type { AgentConfig, AgentExecutionOptionsBase } from '@mastra/core/agent';
import {
  anObject,
  asAgentFault,
  didYouMean,
  throwFaults,
  unreadable,
  type OptionFault,
  type OptionKind,
} from '../../option-kind.js';
import { mastraOptions } from './mastra-options.js';
import type { OptionRow, RejectedOption, Treatment } from './option-row.js';
import { ownOptions } from './own-options.js';
import { isRecord } from '../../phase/plain-data.js';

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

const rowOf = (name: string): OptionRow | undefined => byName.get(name);

/** True if an option is supported, rather than rejected or without effect. */
export const isApplied = (treatment: Treatment): treatment is OptionKind => !('rejected' in treatment);

const isLetThrough = ({ rejected }: RejectedOption, value: unknown): boolean =>
  rejected === 'never' || (rejected === 'unless-false' && value === false);

/** The reason for a rejection. Undefined if the value would have no effect. */
const rejectionOf = (treatment: RejectedOption, value: unknown): string | undefined =>
  isLetThrough(treatment, value) ? undefined : (treatment.detail ?? 'it is not supported.');

/** True if an option of a call is accepted because it has no effect. */
export const changesNothing = (name: string, value: unknown): boolean => {
  const treatment = rowOf(name)?.call;
  return treatment !== undefined && !isApplied(treatment) && isLetThrough(treatment, value);
};

/** @param within The option that contains these, with a dot. */
const faultsIn = (options: object, place: OptionPlace, within = ''): OptionFault[] =>
  found(within.slice(0, -1) || 'options', () =>
    Object.entries(options).flatMap(([name, value]: [string, unknown]) =>
      found(`${within}${name}`, () => faultsOfOption({ name, value, place, within })),
    ),
  );

/** Faults of a value; it may throw when it is read. */
const found = (path: string, find: () => OptionFault[]): OptionFault[] => {
  try {
    return find();
  } catch (error) {
    return [{ code: 'agent/invalid-option', ...unreadable(path, error) }];
  }
};

interface GivenOption {
  readonly name: string;
  readonly value: unknown;
  readonly place: OptionPlace;
  readonly within: string;
}

const faultsOfOption = ({ name, value, place, within }: GivenOption): OptionFault[] => {
  if (value === undefined) return [];
  const path = `${within}${name}`;
  const row = rowOf(name);
  const treatment = row?.[place];
  if (!treatment) return [{ code: 'agent/unknown-option', path, detail: suggestion(name, place) }];
  if (!isApplied(treatment)) {
    const detail = rejectionOf(treatment, value);
    return detail === undefined ? [] : [{ code: 'agent/unsupported-option', path, detail }];
  }
  const faults = treatment.faultsOf(value, path);
  if (faults.length > 0) return faults.map((fault) => ({ code: 'agent/invalid-option', ...fault }));
  const own = place === 'call' ? (row?.check?.(value) ?? []) : [];
  return own.map((fault) => ({ ...fault, path: `${within}${fault.path}` }));
};

/** An option of the other place, a misspelt one, or none. */
const suggestion = (name: string, place: OptionPlace): string => {
  const similar = didYouMean(
    name,
    namesOf((row) => row[place] !== undefined),
  );
  if (similar) return similar;
  const elsewhere = place === 'config' && rowOf(name)?.call;
  return elsewhere && isApplied(elsewhere) ? 'it is an option of calls; put it into defaultOptions.' : 'there is no such option.';
};

/**
 * Rejects options of a call that would be ignored, in one error. Raises `agent/unsupported-option` for options of Mastra that the
 * loop does not support, `agent/unknown-option` for unknown ones, `agent/invalid-option` for invalid values.
 */
export const checkCallOptions = (options: object, agentId?: string): void =>
  throwFaults(faultsIn(options, 'call'), agentId && `agent "${agentId}"`);

/** A configuration without its rejected options. */
export const appliedOf = (config: object): object =>
  Object.fromEntries(
    Object.entries(config).filter(([name]) => {
      const treatment = rowOf(name)?.config;
      return treatment !== undefined && isApplied(treatment);
    }),
  );

/** Defaults of calls, checked here if they are data; those from a function are checked with each call. */
const defaultsOfCalls = [
  'defaultOptions',
  'defaultGenerateOptions',
  'defaultStreamOptions',
] as const satisfies NameIn<'config'>[];

/** Rejects a value that is no object where options are expected. */
export const checkOptionsObject = (value: unknown, path: string): void =>
  throwFaults(anObject.faultsOf(value, path).map(asAgentFault));

/** Rejects invalid options of an agent's configuration, in one error; same codes as {@link checkCallOptions}. */
export const checkConfig = (config: Partial<Record<NameIn<'config'>, unknown>>, agentId: string): void => {
  const faults = faultsIn(config, 'config');
  for (const name of defaultsOfCalls) {
    const defaults = config[name];
    if (typeof defaults === 'object' && defaults !== null) faults.push(...faultsIn(defaults, 'call', `${name}.`));
  }
  throwFaults([...faults, ...foreignEffects(config)], `agent "${agentId}"`);
};

/** Faults for effects of tools that the agent does not have: a misspelt name would have no effect. */
const foreignEffects = ({ effects, tools }: { effects?: unknown; tools?: unknown }): OptionFault[] => {
  if (typeof tools === 'function' || typeof effects !== 'object') return [];
  const foreign = Object.keys(effects ?? {}).filter((name) => !Object.hasOwn(tools ?? {}, name));
  const detail = 'the agent has no tool with this name.';
  return foreign.map((name) => ({ code: 'agent/invalid-option', path: `effects.${name}`, detail }));
};

/**
 * Merges options; later layers override earlier ones. Entries are merged up to `mergeDepth` of the option's row. Below it nothing
 * is copied: processors, pipelines, tools, schemas, contexts and signals remain the caller's own objects.
 */
export const mergeOptions = (...layers: readonly (object | undefined)[]): Record<string, unknown> => {
  const merged: Record<string, unknown> = {};
  for (const layer of layers)
    for (const [name, value] of Object.entries(layer ?? {}))
      if (value !== undefined) merged[name] = mergeOption(name, merged[name], value);
  return merged;
};

/** Merges two values of one option, either of which may be undefined. */
export const mergeOption = (name: string, earlier: unknown, later: unknown): unknown => {
  if (later === undefined) return earlier;
  return mergeValue(earlier, later, rowOf(name)?.mergeDepth ?? 0);
};

const mergeValue = (earlier: unknown, later: unknown, depth: number): unknown => {
  if (depth === 0 || !isRecord(earlier) || !isRecord(later)) return later;
  const merged = { ...earlier };
  for (const [name, value] of Object.entries(later))
    if (value !== undefined) merged[name] = mergeValue(merged[name], value, depth - 1);
  return merged;
};

/** Interlock's own options of a run: the call's override the agent's. */
export const effectiveOptions = (agent: object, call: object): OwnOptions<'config'> =>
  mergeOptions(ownOptionsOf(agent), ownOptionsOf(call));

/** Interlock's own options among others. */
export const ownOptionsOf = (options: object): OwnOptions<'config'> =>
  Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(ownOptions, name)));
