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
import { isModelSetting, mastraOptions } from './mastra-options.js';
import type { OptionRow, IgnoredOption, Treatment } from './option-row.js';
import { ownOptions } from './own-options.js';
import type { Awaitable } from '../../phase/awaitable.js';
import { isRecord } from '../../phase/plain-data.js';

/** The place of an option: a call or a configuration. */
type OptionPlace = 'call' | 'config';

/** Requires a row for each option in Mastra's types, so that a new option in a later version fails to compile without one. */
type MastraRows = Readonly<Record<keyof AgentExecutionOptionsBase<unknown>, { readonly call: Treatment }>> &
  Readonly<Record<keyof AgentConfig, { readonly config: Treatment }>>;

/** Named, so that declarations do not write every row twice. */
type Rows = typeof ownOptions & typeof mastraOptions;
const rows: Rows = { ...ownOptions, ...mastraOptions } satisfies MastraRows;

type OptionName = keyof Rows;
/** The options of a call, or of a configuration. */
type NameIn<Place extends OptionPlace> = {
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

type IgnoredIn<Place extends OptionPlace, When extends IgnoredOption['reported']> = {
  [Name in OptionName]: Rows[Name] extends Readonly<Record<Place, IgnoredOption<infer Is>>>
    ? Is extends When
      ? Name
      : never
    : never;
}[OptionName];

/** Options without an effect, which the types reject. */
export type IgnoredOptions<Place extends OptionPlace> = { readonly [Name in IgnoredIn<Place, 'always'>]?: never } & {
  readonly [Name in IgnoredIn<Place, 'unless-false'>]?: false;
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

/** True if an option is supported, rather than ignored. */
export const isApplied = (treatment: Treatment): treatment is OptionKind => !('reported' in treatment);

const isReported = ({ reported }: IgnoredOption, value: unknown): boolean =>
  reported === 'always' || (reported === 'unless-false' && value !== false);

/** True if a call's option has no effect, and is not reported. */
export const changesNothing = (name: string, value: unknown): boolean => {
  const treatment = rowOf(name)?.call;
  return treatment !== undefined && !isApplied(treatment) && !isReported(treatment, value);
};

/** Options on which a promise depends: Interlock's own, and some of Mastra's. */
const protecting = namesOf((row, name) => row.protects === true || Object.hasOwn(ownOptions, name));

/** True if a promise may depend on an option that does not exist: it is in the wrong place, or misspelt. */
const mayProtect = (name: string): boolean => didYouMean(name, protecting) !== undefined;

/** A fault, or an option that is ignored, by its name, because no promise depends on it. */
interface FoundFault extends OptionFault {
  readonly ignoredName?: string;
}

/** `null` is an absent option: types and servers often produce it. */
const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/** @param within The option that contains these, with a dot. */
const faultsIn = (options: object, place: OptionPlace, within = ''): FoundFault[] =>
  found(within.slice(0, -1) || 'options', () =>
    Object.entries(options).flatMap(([name, value]: [string, unknown]) =>
      found(`${within}${name}`, () => faultsOfOption({ name, value, place, within })),
    ),
  );

/** Faults of a value; it may throw when it is read. */
const found = (path: string, find: () => FoundFault[]): FoundFault[] => {
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

const faultsOfOption = ({ name, value, place, within }: GivenOption): FoundFault[] => {
  if (isAbsent(value)) return [];
  const path = `${within}${name}`;
  const row = rowOf(name);
  const treatment = row?.[place];
  if (!treatment) {
    const ignoredName = mayProtect(name) ? undefined : name;
    return [{ code: 'agent/unknown-option', path, detail: suggestion(name, place), ignoredName }];
  }
  if (!isApplied(treatment)) {
    const { detail } = treatment;
    return isReported(treatment, value) ? [{ code: 'agent/unsupported-option', path, detail, ignoredName: name }] : [];
  }
  const faults = treatment.faultsOf(value, path);
  const ignoredName = row?.ignores?.includes(value) ? name : undefined;
  if (faults.length > 0) return faults.map((fault) => ({ code: 'agent/invalid-option', ...fault, ignoredName }));
  const own = place === 'call' ? (row?.check?.(value) ?? []) : [];
  return own.map((fault) => ({ ...fault, path: `${within}${fault.path}` }));
};

/** The fault of an option of calls; without a value by its name alone. Undefined if calls may have it. */
export const faultOfCallOption = (name: string, value?: unknown): FoundFault | undefined =>
  faultsOfOption({ name, value: value ?? true, place: 'call', within: '' }).find(
    ({ code }) => value !== undefined || code !== 'agent/invalid-option',
  );

/** The right place of an option, a similar name, or neither. */
const suggestion = (name: string, place: OptionPlace): string => {
  const [elsewhere, of] = place === 'call' ? (['config', 'the configuration'] as const) : (['call', 'calls'] as const);
  const own = place === 'call' ? '' : '; put it into defaultOptions';
  if (isModelSetting(name)) return `it is a setting of the model; put it into ${own && 'defaultOptions.'}modelSettings.`;
  const other = rowOf(name)?.[elsewhere];
  if (other && isApplied(other)) return `it is an option of ${of}${own}.`;
  const names = namesOf((row) => row[place] !== undefined);
  return didYouMean(name, names) ?? 'there is no such option.';
};

/** Receives the options that are ignored. */
type ReportIgnored = (ignored: readonly IgnoredFault[]) => void;
/** An option that is ignored, with the reason and the alternative. */
export interface IgnoredFault extends FoundFault {
  readonly ignoredName: string;
}

/** An agent whose options are read. */
interface OptionsOwner {
  readonly agentId: string;
  readonly reportIgnored: ReportIgnored;
}

const raise = (faults: readonly FoundFault[], { agentId, reportIgnored }: OptionsOwner): void => {
  const isIgnored = (fault: FoundFault): fault is IgnoredFault => fault.ignoredName !== undefined;
  throwFaults(
    faults.filter((fault) => !isIgnored(fault)),
    `agent "${agentId}"`,
  );
  reportIgnored(faults.filter(isIgnored));
};

/** Options without those that are absent or ignored. */
const applied = (options: object, ignoredFaults: readonly FoundFault[]) => {
  const ignoredNames = new Set(ignoredFaults.map(({ path }) => path));
  return Object.fromEntries(Object.entries(options).filter(([name, value]) => !isAbsent(value) && !ignoredNames.has(name)));
};

/**
 * The options of a call that have an effect. Others are reported, unless a promise depends on them; these, and invalid values, are
 * rejected in one error: `agent/unknown-option`, `agent/unsupported-option`, `agent/invalid-option`.
 */
export const readCallOptions = (options: object, owner: OptionsOwner): object => {
  const faults = faultsIn(options, 'call');
  raise(faults, owner);
  return applied(options, faults);
};

/** The options of a configuration that Interlock reads; the others are for Mastra's agent. */
export interface AppliedConfig extends OwnOptions<'config'>, Pick<AgentConfig, 'signals' | 'hooks' | 'maxRetries'> {
  defaultGenerateOptions?: DefaultsOfCalls;
  defaultStreamOptions?: DefaultsOfCalls;
}

/** Defaults of the calls of one method. Those from a function are checked with each call. */
export type DefaultsOfCalls = object | ((call: object) => Awaitable<object | undefined>);

/** A configuration without its unknown and ignored options. */
export const appliedOf = (config: object): AppliedConfig =>
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

/** The options of a configuration that have an effect; reports and errors as in {@link readCallOptions}. */
export const readConfigOptions = (config: Partial<Record<NameIn<'config'>, unknown>>, owner: OptionsOwner): AppliedConfig => {
  const faults = faultsIn(config, 'config');
  for (const name of defaultsOfCalls) {
    const defaults = config[name];
    if (typeof defaults === 'object' && defaults !== null) faults.push(...faultsIn(defaults, 'call', `${name}.`));
  }
  raise([...faults, ...foreignEffects(config)], owner);
  return applied(config, faults);
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
      if (!isAbsent(value)) merged[name] = mergeOption(name, merged[name], value);
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

/** Interlock's own options among others. */
export const ownOptionsOf = (options: object): OwnOptions<'config'> =>
  Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(ownOptions, name)));
