/** A text or a number inside a value. */
export type Leaf = string | number | bigint;

/**
 * Changes the texts and numbers inside a value, including keys of objects, and shares all unchanged parts: the same value is returned if
 * nothing changed. Keys that become equal are numbered. A changed instance of a class becomes plain data, and a changed error becomes a
 * plain error. Dates, bytes and circular references stay as they are.
 */
export const mapLeaves = (value: unknown, edit: (leaf: Leaf) => Leaf, known = new Map<object, unknown>()): unknown => {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return edit(value);
  if (typeof value !== 'object' || value === null) return value;
  if (known.has(value)) return known.get(value);
  known.set(value, value);
  const mapped = mapContainer(value, edit, (inner) => mapLeaves(inner, edit, known));
  known.set(value, mapped);
  return mapped;
};

const mapContainer = (value: object, edit: (leaf: Leaf) => Leaf, inner: (value: unknown) => unknown): unknown => {
  if (value instanceof Date || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) {
    const mapped = value.map(inner);
    return mapped.some((one, index) => !Object.is(one, value[index])) ? mapped : value;
  }
  if (value instanceof Error) return mapError(value, inner);
  if (value instanceof Map || value instanceof Set) return mapCollection(value, inner);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON !== 'function') return mapFields(value, edit, inner);
  const json: unknown = toJSON.call(value);
  const mapped = inner(json);
  return Object.is(mapped, json) ? value : mapped;
};

const mapCollection = (value: Map<unknown, unknown> | Set<unknown>, inner: (value: unknown) => unknown): unknown => {
  const items: unknown[] = [...value];
  const mapped = inner(items) as unknown[]; // a list of the same length
  if (mapped === items) return value;
  return value instanceof Map ? new Map(mapped as [unknown, unknown][]) : new Set(mapped); // its items are pairs
};

/** If an error's message, cause or any field changes, replaces it by a new error with only the message and the name. */
const mapError = (error: Error, inner: (value: unknown) => unknown): Error => {
  const fields = [error.message, error.cause, Object.fromEntries(Object.entries(error))];
  const mapped = inner(fields) as typeof fields; // of the same length
  return mapped === fields ? error : Object.assign(new Error(String(mapped[0])), { name: error.name });
};

const mapFields = (fields: object, edit: (leaf: Leaf) => Leaf, inner: (value: unknown) => unknown): object => {
  const before: [string, unknown][] = Object.entries(fields);
  const after = before.map(([name, value]) => [String(edit(name)), inner(value)] as const);
  const isSame = after.every(([name, value], index) => name === before[index]?.[0] && Object.is(value, before[index][1]));
  return isSame ? fields : fieldsOf(after);
};

/** Creates an object without losing a field if two names have become equal. */
const fieldsOf = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> => {
  const fields = new Map<string, unknown>();
  /** The last number that was assigned to a name. */
  const numbers = new Map<string, number>();
  for (const [name, value] of entries) {
    let free = name;
    let number = numbers.get(name) ?? 1;
    for (; fields.has(free); free = `${name} ${number}`) number += 1;
    numbers.set(name, number);
    fields.set(free, value);
  }
  return Object.fromEntries(fields);
};

/** The texts and numbers inside a value, including keys of objects. */
export const leavesOf = (value: unknown): Leaf[] => {
  const leaves: Leaf[] = [];
  mapLeaves(value, (leaf) => {
    leaves.push(leaf);
    return leaf;
  });
  return leaves;
};

/** Changes every text inside a value like {@link mapLeaves}: a changed number becomes a text. */
export const mapTexts = (value: unknown, change: (text: string) => string): unknown =>
  mapLeaves(value, (leaf) => {
    const text = String(leaf);
    const changed = change(text);
    return changed === text ? leaf : changed;
  });

/** Framing fields of the host's data, which are not text of the conversation. */
const framing = new Set([
  'type',
  'role',
  'from',
  'reason',
  'finishReason',
  'state',
  'id',
  'runId',
  'messageId',
  'toolCallId',
  'toolName',
]);

/**
 * Changes each text in data of the host, which may be cyclic. Field names and the host's framing fields stay. An instance of a
 * class in which a text changes becomes a plain object.
 */
export const mapErrorTexts = (value: unknown, change: (text: string) => string, known = new Map<object, unknown>()): unknown => {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (known.has(value)) return known.get(value);
  known.set(value, value);
  const inner = (one: unknown) => mapErrorTexts(one, change, known);
  const mapped = Array.isArray(value) ? sameOr(value, value.map(inner)) : mapErrorFields(value, inner);
  known.set(value, mapped);
  return mapped;
};

const mapErrorFields = (value: object, inner: (one: unknown) => unknown): object => {
  const before: [string, unknown][] = Object.entries(value);
  const after = before.map(([name, one]) => [name, framing.has(name) ? one : inner(one)] as const);
  return after.every(([, one], index) => one === before[index]?.[1]) ? value : Object.fromEntries(after);
};

const sameOr = (before: readonly unknown[], after: unknown[]): readonly unknown[] =>
  after.every((one, index) => one === before[index]) ? before : after;
