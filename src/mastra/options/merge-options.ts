import { isRecord } from '../../phase/plain-data.js';
import { rowOf, type OwnOptions } from './option-table.js';
import { ownOptions } from './own-options.js';

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
