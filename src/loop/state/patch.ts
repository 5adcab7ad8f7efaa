import { isRecord, isSame } from '../../phase/plain-data.js';

/** The difference between two values, as plain data; its size depends on the change alone. */
export type Patch =
  /** Replaces the value. */
  | readonly ['=', unknown]
  /** Appends to a text. */
  | readonly ['+', string]
  /** Fields that changed, and the names of those that are gone. */
  | readonly ['.', Readonly<Record<string, FieldPatch>>, readonly string[]]
  /** Entries that changed; then, at an index, the number of removed entries and the inserted ones. */
  | readonly ['#', readonly (readonly [index: number, patch: Patch])[], at: number, gone: number, came: readonly unknown[]];

/** Another field of the same record after its own patch, with a difference; written after it. `diff` finds no such fields itself. */
export type FieldPatch = Patch | readonly ['@', field: string, patch: Patch | undefined];

/** The number of entries at the start of each list, by its field, that are known to be unchanged. */
export type Settled = Readonly<Record<string, number>>;

/**
 * The patch from `before` to `after`; undefined if they are equal. Made for values that grow at their ends, such as conversations: no
 * maintained package finds an appended word or entry in time proportional to the length. Settled entries are skipped.
 */
export const diff = (before: unknown, after: unknown, settled: Settled = {}): Patch | undefined => {
  if (Object.is(before, after)) return undefined; // most of a state is shared with the one before
  if (typeof before === 'string' && typeof after === 'string') return diffTexts(before, after);
  if (Array.isArray(before) && Array.isArray(after)) return diffLists(before, after, 0);
  if (isRecord(before) && isRecord(after)) return diffRecords(before, after, settled);
  return isSame(before, after) ? undefined : ['=', after];
};

/** Texts below this length are replaced as a whole. */
const shortText = 16;

const diffTexts = (before: string, after: string): Patch =>
  before.length >= shortText && after.startsWith(before) ? ['+', after.slice(before.length)] : ['=', after];

type Fields = Record<string, unknown>;

const diffRecords = (before: Fields, after: Fields, settled: Settled): Patch | undefined => {
  const changed: Record<string, Patch> = {};
  let changes = 0;
  for (const [name, value] of Object.entries(after)) {
    const length = Object.hasOwn(settled, name) ? settled[name] : undefined;
    const patch = Object.hasOwn(before, name) ? diffField(before[name], value, length) : (['=', value] as const);
    if (!patch) continue;
    setField(changed, name, patch);
    changes += 1;
  }
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return changes + removed.length > 0 ? ['.', changed, removed] : undefined;
};

const diffField = (before: unknown, after: unknown, settled: number | undefined): Patch | undefined =>
  settled !== undefined && Array.isArray(before) && Array.isArray(after)
    ? diffLists(before, after, settled)
    : diff(before, after);

/** Any text may be a field name, including `__proto__`, because these values contain model output. Other names are set, which is faster. */
const setField = (record: Fields, name: string, value: unknown): void => {
  if (name !== '__proto__') record[name] = value;
  else Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
};

/** Keeps equal entries at both ends; in between, compares entries in order while both lists have one. */
const diffLists = (before: readonly unknown[], after: readonly unknown[], settled: number): Patch | undefined => {
  const most = Math.min(before.length, after.length);
  let head = Math.min(settled, most);
  while (head < most && isSame(before[head], after[head])) head += 1;
  if (head === before.length && head === after.length) return undefined;
  let tail = 0;
  while (tail < most - head && isSame(before.at(-1 - tail), after.at(-1 - tail))) tail += 1;
  const at = Math.min(before.length, after.length) - tail;
  const changed = Array.from({ length: at - head }, (_, step) => head + step).flatMap((index): [number, Patch][] => {
    const patch = diff(before[index], after[index]);
    return patch ? [[index, patch]] : [];
  });
  return ['#', changed, at, before.length - tail - at, after.slice(at, after.length - tail)];
};

/** Applies a patch to a value without changing it. */
export const applyPatch = (before: unknown, patch: Patch): unknown => {
  switch (patch[0]) {
    case '=':
      return patch[1];
    case '+':
      return (before as string) + patch[1]; // the patch was made for a text
    case '.':
      return patchedRecord(before as Fields, patch[1], patch[2]);
    case '#': {
      const [, changed, at, removed, added] = patch;
      const after = [...(before as unknown[])];
      for (const [index, one] of changed) after[index] = applyPatch(after[index], one);
      after.splice(at, removed, ...added);
      return after;
    }
    default:
      return patch satisfies never;
  }
};

const patchedRecord = (before: Fields, changed: Readonly<Record<string, FieldPatch>>, removed: readonly string[]): Fields => {
  const after = { ...before };
  for (const name of removed) delete after[name];
  for (const [name, patch] of Object.entries(changed))
    setField(after, name, patch[0] === '@' ? referred(after, patch) : applyPatch(before[name], patch));
  return after;
};

const referred = (fields: Fields, [, name, patch]: Extract<FieldPatch, readonly ['@', ...unknown[]]>): unknown =>
  patch ? applyPatch(fields[name], patch) : fields[name];
