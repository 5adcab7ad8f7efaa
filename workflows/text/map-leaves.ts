/** Changes one leaf of a value, or gives it back. */
export type EditLeaf = (leaf: string | number) => string | number;

/**
 * Changes the strings and numbers inside a JSON-like value, keys of objects included, and shares everything that did not change:
 * the same value comes back where nothing did. Instances of classes, such as dates, are left alone, and so is a circle.
 */
export const mapLeaves = (value: unknown, edit: EditLeaf, above: readonly object[] = []): unknown => {
  if (typeof value === 'string' || typeof value === 'number') return edit(value);
  if (!isContainer(value) || above.includes(value)) return value;
  const path = [...above, value];
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => mapLeaves(item, edit, path));
    return items.every((item, index) => Object.is(item, value[index])) ? value : items;
  }
  const entries = Object.entries(value).map(([key, item]) => [String(edit(key)), mapLeaves(item, edit, path)] as const);
  const same = Object.entries(value).every(([key, item], at) => entries[at]?.[0] === key && Object.is(entries[at][1], item));
  return same ? value : fromEntries(entries);
};

/** The strings and numbers inside a value, keys of objects included. */
export const leavesOf = (value: unknown): (string | number)[] => {
  const leaves: (string | number)[] = [];
  mapLeaves(value, (leaf) => {
    leaves.push(leaf);
    return leaf;
  });
  return leaves;
};

const isContainer = (value: unknown): value is Record<string, unknown> | unknown[] => {
  if (Array.isArray(value)) return true;
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Two keys that became the same are told apart by a number, so that no entry is lost. */
const fromEntries = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> => {
  const result = new Map<string, unknown>();
  for (const [key, item] of entries) {
    let free = key;
    for (let number = result.size + 1; result.has(free); number += 1) free = `${key} ${number}`;
    result.set(free, item);
  }
  return Object.fromEntries(result);
};
