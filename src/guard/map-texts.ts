/**
 * Changes every text inside plain data, keys of objects and numbers included: a number in which something is changed becomes a
 * text. Gives the same value back where nothing changed, and what is no plain data as it is.
 */
export const mapTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value);
  if (typeof value === 'number' || typeof value === 'bigint') {
    const text = String(value);
    const changed = change(text);
    return changed === text ? value : changed;
  }
  if (Array.isArray(value)) {
    const mapped = value.map((one: unknown) => mapTexts(one, change));
    return mapped.some((one, index) => one !== value[index]) ? mapped : value;
  }
  return isPlain(value) ? mapFields(value, change) : value;
};

const isPlain = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const mapFields = (fields: Record<string, unknown>, change: (text: string) => string): Record<string, unknown> => {
  const before = Object.entries(fields);
  const after = before.map(([name, value]) => [change(name), mapTexts(value, change)] as const);
  const isSame = after.every(([name, value], index) => name === before[index]?.[0] && value === before[index]?.[1]);
  return isSame ? fields : Object.fromEntries(after);
};
