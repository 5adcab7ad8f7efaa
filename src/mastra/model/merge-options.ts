import { isPlainObject } from '../plain-object.js';

/** Options of which the later layer replaces single entries, and how deep; it replaces every other option as a whole. */
const depths: Readonly<Record<string, number>> = {
  modelSettings: 1,
  providerOptions: 2,
  memory: 1,
  persistence: 1,
  hooks: 1,
  clientTools: 1,
  toolsets: 2,
};

/**
 * Puts options together, later layers over earlier ones. Nothing is copied below the depth of the table: processors, pipelines,
 * tools, schemas, contexts and signals are the caller's own objects.
 */
export const mergeOptions = (...layers: readonly (object | undefined)[]): Record<string, unknown> => {
  const merged: Record<string, unknown> = {};
  for (const layer of layers)
    for (const [name, value] of Object.entries(layer ?? {}))
      if (value !== undefined) merged[name] = mergeValue(merged[name], value, depths[name] ?? 0);
  return merged;
};

const mergeValue = (earlier: unknown, later: unknown, depth: number): unknown => {
  if (depth === 0 || !isPlainObject(earlier) || !isPlainObject(later)) return later;
  const merged = { ...earlier };
  for (const [name, value] of Object.entries(later))
    if (value !== undefined) merged[name] = mergeValue(merged[name], value, depth - 1);
  return merged;
};
