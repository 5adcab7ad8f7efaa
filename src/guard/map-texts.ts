/**
 * Changes every text inside plain data, keys of objects and numbers included: a number in which something is changed becomes a
 * text, and keys that become the same are numbered. Gives the same value back where nothing changed. Of what is no plain data the
 * message of an error is changed, and nothing else.
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
  if (value instanceof Error) return mapError(value, change);
  return isPlain(value) ? mapFields(value, change) : value;
};

/** Its fields and its stack repeat what it says, and its cause may: they go where that is changed. */
const mapError = (error: Error, change: (text: string) => string): Error => {
  const message = change(error.message);
  return message === error.message ? error : Object.assign(new Error(message), { name: error.name });
};

/** Names under which a host's data has words of its own: they are nobody's text. */
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
 * Changes what is said in data of the host's, which may lead back to itself: each text, but for the names of fields and what stands
 * under the host's own. An instance of a class in which something is changed becomes plain data.
 */
export const mapSaid = (value: unknown, change: (text: string) => string, known = new Map<object, unknown>()): unknown => {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (known.has(value)) return known.get(value);
  known.set(value, value);
  const inner = (one: unknown) => mapSaid(one, change, known);
  const mapped = Array.isArray(value) ? sameOr(value, value.map(inner)) : mapSaidFields(value, inner);
  known.set(value, mapped);
  return mapped;
};

const mapSaidFields = (value: object, inner: (one: unknown) => unknown): object => {
  const before: [string, unknown][] = Object.entries(value);
  const after = before.map(([name, one]) => [name, framing.has(name) ? one : inner(one)] as const);
  return after.every(([, one], index) => one === before[index]?.[1]) ? value : Object.fromEntries(after);
};

const sameOr = (before: readonly unknown[], after: unknown[]): readonly unknown[] =>
  after.every((one, index) => one === before[index]) ? before : after;

const isPlain = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const mapFields = (fields: Record<string, unknown>, change: (text: string) => string): Record<string, unknown> => {
  const before = Object.entries(fields);
  const after = before.map(([name, value]) => [change(name), mapTexts(value, change)] as const);
  const isSame = after.every(([name, value], index) => name === before[index]?.[0] && value === before[index]?.[1]);
  return isSame ? fields : fieldsOf(after);
};

/** No field is lost where two names have become the same. */
const fieldsOf = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> => {
  const fields = new Map<string, unknown>();
  /** The last number that was given to a name. */
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
