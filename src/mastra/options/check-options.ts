import { didYouMean, throwFaults, type OptionFault } from '../../option-kind.js';
import { isApplied, namesOf, rejectionOf, rowOf, type NameIn, type OptionPlace } from './option-table.js';

/** @param within The option that contains these, with a dot. */
const faultsIn = (options: object, place: OptionPlace, within = ''): OptionFault[] =>
  Object.entries(options).flatMap(([name, value]: [string, unknown]): OptionFault[] => {
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
  });

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
