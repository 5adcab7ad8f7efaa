/** Whether a value is an object; arrays count. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const hasFields = (value: unknown): value is Readonly<Record<string, unknown>> => isObject(value) || typeof value === 'function';

/** The fields of a value of unknown type, to read them; none if it is no object. */
export const fieldsIn = (value: unknown): Readonly<Record<string, unknown>> => (hasFields(value) ? value : {});

/** An object with some members of its own. All others are those of another object, including later changes. */
export const inheriting = <T extends object>(from: T, own: object): T =>
  Object.create(from, Object.getOwnPropertyDescriptors(own));

/** Whether a value is a plain object; copies and merges treat instances of classes as atoms. */
export const isRecord = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** The fields that have a value. */
export const definedFields = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never; // some of the fields

/**
 * Whether two values hold the same data. Instances of classes are equal only if they are the same object, dates by their time. Ignores
 * fields with the names in `but`, at any depth.
 */
export const isSame = (a: unknown, b: unknown, but?: ReadonlySet<string>): boolean => {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object') return false; // most differences are between texts, so compare them first
  if (Array.isArray(a)) return Array.isArray(b) && haveSameEntries(a, b, but);
  if (a instanceof Date && b instanceof Date) return isSameTime(a, b);
  return isRecord(a) && isRecord(b) && haveSameFields(a, b, but);
};

const haveSameEntries = (a: readonly unknown[], b: readonly unknown[], but: ReadonlySet<string> | undefined): boolean => {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (!isSame(a[index], b[index], but)) return false;
  return true;
};

const haveSameFields = (a: Fields, b: Fields, but: ReadonlySet<string> | undefined): boolean => {
  let fields = 0;
  for (const name in a) {
    if (but?.has(name)) continue;
    const one = fieldOf(a, name);
    const other = fieldOf(b, name);
    if (one === other ? one === undefined && !Object.hasOwn(b, name) : !isSame(one, other, but)) return false;
    fields += 1;
  }
  for (const name in b) if (!but?.has(name)) fields -= 1;
  return fields === 0;
};

type Fields = Record<string, unknown>;

/**
 * Reads a field inside `for in`. V8 compiles `fields[name]` there for one name, and discards that code at each other name, again and
 * again; a function of its own reads all names equally fast. JSON can name a field `__proto__`: that of the prototype is no field.
 */
const fieldOf = (fields: Fields, name: string): unknown =>
  name === '__proto__' && !Object.hasOwn(fields, name) ? undefined : fields[name];

/** Whether a value consists of plain data: comparing it with a copy finds every change, also those in place. */
export const isPlain = (value: unknown): boolean => {
  if (!isObject(value) || value instanceof Date || kept.has(value)) return true;
  return Array.isArray(value) ? value.every(isPlain) : isRecord(value) && Object.values(value).every(isPlain);
};

/**
 * A deep copy of plain data: arrays, plain objects and dates. Instances of classes, functions and bytes are shared, because only
 * their class could copy them.
 */
export const copyPlain = <T>(value: T): T => copy(value, top) as T; // a copy has the type of the original

/** A value that is being copied, inside its container: data may contain itself. */
interface Copying {
  readonly value: unknown;
  readonly made: unknown;
  readonly outer: Copying | undefined;
  /** A value to use instead of a copy. */
  readonly instead: ((value: object) => unknown) | undefined;
}

const top: Copying = { value: undefined, made: undefined, outer: undefined, instead: undefined };

const copy = (value: unknown, outer: Copying): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return new Date(value);
  const isList = Array.isArray(value);
  if (!isList && !isRecord(value)) return value;
  for (let one: Copying | undefined = outer; one; one = one.outer) if (one.value === value) return one.made;
  return outer.instead?.(value) ?? (isList ? copyList(value, outer) : copyRecord(value, outer));
};

const copyList = (value: readonly unknown[], outer: Copying): unknown[] => {
  const made: unknown[] = [];
  let inner: Copying | undefined; // most lists and records have no data inside
  for (const entry of value)
    made.push(isObject(entry) ? copy(entry, (inner ??= { value, made, outer, instead: outer.instead })) : entry);
  return made;
};

const copyRecord = (value: Fields, outer: Copying): Fields => {
  const made = { ...value };
  let inner: Copying | undefined;
  for (const key in made) {
    const field = fieldOf(made, key);
    if (isObject(field)) made[key] = copy(field, (inner ??= { value, made, outer, instead: outer.instead }));
  }
  return made;
};

/** Data that its holder keeps unchanged, and the original of each copy of it for others. */
const kept = new WeakSet<object>();
const originals = new WeakMap<object, object>();
/** The one copy of kept data for all readers. */
const readersCopies = new WeakMap<object, unknown>();

/**
 * Declares that plain data stays unchanged, so that {@link copyShared} shares it. Others get {@link copyKept}.
 *
 * @param forReaders an equal value that readers get instead of their copy
 */
export const keep = <T>(value: T, forReaders?: T): T => {
  if (isObject(value)) kept.add(value);
  if (isObject(value) && forReaders !== undefined) readersCopies.set(value, forReaders);
  return value;
};

/** A copy of kept data for code that may change it. While it does not, {@link copyShared} shares the original. */
export const copyKept = <T>(value: T): T => {
  const made = copyPlain(value);
  if (typeof made === 'object' && made !== null && made !== value) originals.set(made, value as object);
  return made;
};

/** The kept data that a value was copied from; the copy may have changed since. */
export const originalOf = (value: unknown): unknown => (isObject(value) ? originals.get(value) : undefined);

/** The copies found equal to their originals by {@link comparingOnce}. */
let compared: WeakSet<object> | undefined;

/** Calls a function that reads data and runs no code of others: each copy is compared with its original once. */
export const comparingOnce = <T>(read: () => T): T => {
  if (compared) return read();
  compared = new WeakSet();
  try {
    return read();
  } finally {
    compared = undefined;
  }
};

/** The kept data that is equal to a value. */
const keptOf = (value: object): object | undefined => {
  if (kept.has(value)) return value;
  const original = originals.get(value);
  if (!original || !(compared?.has(value) || isSame(original, value))) return undefined;
  compared?.add(value);
  return original;
};

/** A copy of plain data for readers, which share one copy of kept data. */
export const copyForReaders = <T>(value: T): T => copy(value, { ...top, instead: readersCopyOf }) as T;

const readersCopyOf = (value: object): unknown => {
  const own = keptOf(value);
  if (!own) return undefined;
  const made = readersCopies.get(own) ?? copyPlain(own);
  readersCopies.set(own, made);
  return made;
};

/**
 * A copy of plain data that shares all unchanged parts with an earlier copy, and with kept data; the earlier copy itself if nothing
 * changed. Shared parts are equal without a comparison.
 */
export const copyShared = <T>(earlier: T | undefined, value: T): T => shared(earlier, value) as T; // a copy has the type of the original

const sharing: Copying = { ...top, instead: keptOf };

const shared = (earlier: unknown, value: unknown): unknown => {
  if (Array.isArray(value)) return Array.isArray(earlier) ? sharedList(earlier, value) : copy(value, sharing);
  if (value instanceof Date) return earlier instanceof Date && isSameTime(earlier, value) ? earlier : new Date(value);
  if (!isRecord(value)) return value;
  return isRecord(earlier) ? sharedRecord(earlier, value) : copy(value, sharing);
};

const sharedList = (earlier: readonly unknown[], value: readonly unknown[]): readonly unknown[] => {
  let made = earlier.length === value.length ? undefined : value.slice();
  for (let index = 0; index < value.length; index += 1) {
    const one = shared(earlier[index], value[index]);
    if (!made && !Object.is(one, earlier[index])) made = [...earlier.slice(0, index), ...value.slice(index)];
    if (made) made[index] = one;
  }
  return made ?? earlier;
};

/** Compares each message of a conversation, at each step: `for in` and comparing before looking are several times as fast. */
const sharedRecord = (earlier: Fields, value: Fields): Fields => {
  let made: Fields | undefined;
  let fields = 0;
  for (const name in value) {
    fields += 1;
    const field = fieldOf(value, name);
    const known = fieldOf(earlier, name);
    const one = field === known ? field : shared(known, field);
    const isNew = field === undefined && !Object.hasOwn(earlier, name);
    if (!made && (isNew || !Object.is(one, known))) made = withFieldsBefore(name, earlier, value);
    if (made) made[name] = one;
  }
  if (made) return made;
  return Object.keys(earlier).length === fields ? earlier : withFieldsBefore(undefined, earlier, value);
};

/** A copy of a record, with the earlier values of all fields before one of them. */
const withFieldsBefore = (name: string | undefined, earlier: Fields, value: Fields): Fields => {
  const made = { ...value };
  for (const before in value) {
    if (before === name) break;
    made[before] = fieldOf(earlier, before);
  }
  return made;
};

/** Also true for two invalid dates. */
const isSameTime = (a: Date, b: Date): boolean => Object.is(a.getTime(), b.getTime());
