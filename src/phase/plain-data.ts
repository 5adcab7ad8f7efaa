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

/** These fields, also those without a value. */
export const pick = <T, Name extends keyof T>(from: T, ...names: readonly Name[]): Pick<T, Name> => {
  const picked: Partial<Pick<T, Name>> = {};
  for (const name of names) picked[name] = from[name];
  return picked as Pick<T, Name>; // the named fields
};

interface Values<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** The value of a key, which is computed when it is first needed. */
export const computed = <Key, Value>(values: Values<Key, Value>, key: Key, compute: () => Value): Value => {
  const known = values.get(key);
  if (known !== undefined) return known;
  const value = compute();
  values.set(key, value);
  return value;
};

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

/** Deeper values would exceed the stack of code that reads them, such as that of guards. */
export const maxDepth = 500;

/** The same data. Raises a `RangeError` if it has too many levels. */
export const withinDepth = <T>(value: T, depth = 0, walk: { seen?: Set<object> } = {}): T => {
  if (!isObject(value) || walk.seen?.has(value) || (!Array.isArray(value) && !isRecord(value))) return value;
  if (depth === maxDepth) throw new RangeError(`data has more than ${maxDepth} levels.`);
  if (depth > 16) walk.seen ??= new Set(); // messages are flat; deeper data may contain itself
  walk.seen?.add(value);
  for (const name in value) withinDepth(value[name], depth + 1, walk);
  return value;
};

/**
 * Whether a value is plain data that `JSON.stringify` takes; false if in doubt. Writing a large result as text, as Mastra's own check
 * does, takes five times as long. It has the limit of that check: data shared at many places would be written at each of them.
 */
export const isJson = (value: unknown, budget = { values: 1_000_000 }, depth = 0): boolean => {
  budget.values -= 1;
  if (!isObject(value)) return typeof value !== 'bigint' && typeof value !== 'function'; // it may be `toJSON`
  if (budget.values < 0 || depth > 100) return false; // it may contain itself
  const isList = Object.getPrototypeOf(value) === Array.prototype;
  const fields: readonly unknown[] | undefined =
    isList && Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : undefined;
  return fields?.every((field) => isJson(field, budget, depth + 1)) ?? false;
};

/**
 * A deep copy of plain data: arrays, plain objects and dates. Instances of classes, functions and bytes are shared, because only
 * their class could copy them.
 */
export const copyPlain = <T>(value: T): T => copyWith(value);

interface Copying {
  /** A value to use instead of a copy. */
  readonly instead?: (value: object) => unknown;
  /** Copies an instance of a class. Default: it is shared. */
  readonly copyInstance?: ((value: object) => unknown) | undefined;
}

/** A container of the current value, its copy, and what contains it: data may contain itself. */
interface Container {
  readonly value: object;
  readonly made: object;
  readonly inside: Container | undefined;
}

const copyWith = <T>(value: T, copying: Copying = {}): T => (isObject(value) ? (copy(value, copying, undefined) as T) : value); // a copy has the type of the original

const copy = (value: object, copying: Copying, inside: Container | undefined): unknown => {
  const isList = Array.isArray(value);
  if (!isList && !isRecord(value)) return value instanceof Date ? new Date(value) : (copying.copyInstance?.(value) ?? value);
  for (let at = inside; at; at = at.inside) if (at.value === value) return at.made;
  return copying.instead?.(value) ?? (isList ? copyList(value, copying, inside) : copyRecord(value, copying, inside));
};

/** A list that grows from nothing would take several times the memory. */
const copyList = (value: readonly unknown[], copying: Copying, inside: Container | undefined): unknown[] => {
  const made: unknown[] = [...value];
  let own: Container | undefined;
  for (let index = 0; index < made.length; index += 1) {
    const entry = made[index];
    if (isObject(entry)) made[index] = copy(entry, copying, (own ??= { value, made, inside }));
  }
  return made;
};

const copyRecord = (value: Fields, copying: Copying, inside: Container | undefined): Fields => {
  const made = { ...value };
  let own: Container | undefined;
  for (const key in made) {
    const field = fieldOf(made, key);
    if (isObject(field)) made[key] = copy(field, copying, (own ??= { value, made, inside }));
  }
  return made;
};

/** Data that its holder keeps unchanged, and the original of each copy of it for others. */
const kept = new WeakSet<object>();
const originals = new WeakMap<object, object>();
/** The one copy of kept data for all readers. */
const readersCopies = new WeakMap<object, unknown>();

/**
 * A copy that its holder keeps unchanged: {@link copyShared} shares it, others get {@link copyKept}. A copy with instances of classes is
 * not kept, because changes inside of them would not be found.
 *
 * @param isForReaders whether readers get the value itself instead of their copy
 */
export const keptCopy = <T>(value: T, copyInstance: (value: object) => unknown, isForReaders: boolean): T => {
  let isPlainData = true;
  const noting = (one: object): unknown => {
    isPlainData = false;
    return copyInstance(one);
  };
  const made = copyWith(value, { copyInstance: noting });
  if (!isPlainData || !isObject(made)) return made;
  kept.add(made);
  if (isForReaders) readersCopies.set(made, value);
  return made;
};

/** Marks data that its holder keeps unchanged, and that readers get as it is: no copy is made of it. */
export const unchanging = <T>(value: T): T => {
  if (!isObject(value)) return value;
  kept.add(value);
  readersCopies.set(value, value);
  return value;
};

/** A copy of kept data for code that may change it. While it does not, {@link copyShared} shares the original. */
export const copyKept = <T>(value: T, copyInstance?: Copying['copyInstance']): T => {
  const made = copyWith(value, { copyInstance });
  if (isObject(made) && isObject(value) && kept.has(value)) {
    originals.set(made, value);
    equalSince.set(made, calls);
  }
  return made;
};

/** The kept data that a value was copied from; the copy may have changed since. */
export const originalOf = (value: unknown): unknown => (isObject(value) ? originals.get(value) : undefined);

/** When each copy was last found equal to its original, counted in calls of other code. */
const equalSince = new WeakMap<object, number>();
let calls = 0;

/** To be called after code that may have changed copies in place. Between two such calls, each copy is compared with its original once. */
export const otherCodeRan = (): void => void (calls += 1);

/** The kept data that is equal to a value. */
const keptOf = (value: object): object | undefined => {
  if (kept.has(value)) return value;
  const original = originals.get(value);
  return original && isUnchanged(value, original) ? original : undefined;
};

const isUnchanged = (value: object, original: object): boolean => {
  if (equalSince.get(value) === calls) return true;
  const isEqual = isSame(original, value);
  if (isEqual) equalSince.set(value, calls);
  return isEqual;
};

/** A copy of plain data for readers, which share one copy of kept data. */
export const copyForReaders = <T>(value: T): T => copyWith(value, { instead: readersCopyOf });

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

const shared = (earlier: unknown, value: unknown): unknown => {
  if (isObject(value) && isObject(earlier) && originals.get(value) === earlier && isUnchanged(value, earlier)) return earlier;
  if (Array.isArray(value)) return Array.isArray(earlier) ? sharedList(earlier, value) : copyWith(value, { instead: keptOf });
  if (value instanceof Date) return earlier instanceof Date && isSameTime(earlier, value) ? earlier : new Date(value);
  if (!isRecord(value)) return value;
  return isRecord(earlier) ? sharedRecord(earlier, value) : copyWith(value, { instead: keptOf });
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
  for (const name in earlier) if (Object.hasOwn(earlier, name)) fields -= 1; // a list of the names would be made for each value
  return fields === 0 ? earlier : withFieldsBefore(undefined, earlier, value);
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
