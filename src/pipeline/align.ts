import { diffArrays } from 'diff';

/** Stands where an entry of the base was taken out. */
export const removed: unique symbol = Symbol('removed');

export interface Alignment {
  /** For each entry of the base, what became of it. */
  readonly kept: readonly unknown[];
  /** New entries by position: 0 is before the first entry of the base, n is after its n-th. */
  readonly inserted: ReadonlyMap<number, readonly unknown[]>;
}

/** Finds out which entry of an edited array came from which entry of the base. */
export const alignArray = (base: readonly unknown[], edited: readonly unknown[]): Alignment => {
  const baseIds = idsOf(base);
  const editedIds = baseIds && idsOf(edited);
  if (baseIds && editedIds) return alignByKey({ base, baseKeys: baseIds, edited, editedKeys: editedIds });
  if (base.length === edited.length) return { kept: edited, inserted: new Map() };
  return alignByDiff(base, edited);
};

/** The ids of entries that all have one of their own, or undefined. */
const idsOf = (entries: readonly unknown[]): string[] | undefined => {
  const ids = entries.map((entry) => (typeof entry === 'object' && entry !== null ? (entry as { id?: unknown }).id : undefined));
  const own = ids.every((id) => typeof id === 'string') && new Set(ids).size === ids.length;
  return own ? (ids as string[]) : undefined;
};

interface Keyed {
  base: readonly unknown[];
  baseKeys: readonly string[];
  edited: readonly unknown[];
  editedKeys: readonly string[];
}

const alignByKey = ({ base, baseKeys, edited, editedKeys }: Keyed): Alignment => {
  const editedByKey = new Map(editedKeys.map((key, index) => [key, edited[index]]));
  const kept = base.map((_, index) => {
    const key = baseKeys[index] as string;
    return editedByKey.has(key) ? editedByKey.get(key) : removed;
  });
  const indexOfKey = new Map(baseKeys.map((key, index) => [key, index]));
  const inserted = new Map<number, unknown[]>();
  let position = 0;
  edited.forEach((entry, index) => {
    const at = indexOfKey.get(editedKeys[index] as string);
    if (at === undefined) inserted.set(position, [...(inserted.get(position) ?? []), entry]);
    else position = at + 1;
  });
  return { kept, inserted };
};

/** Entries without ids and of another number: the longest common sequence tells; runs that differ are paired in order. */
const alignByDiff = (base: readonly unknown[], edited: readonly unknown[]): Alignment => {
  const text = (entry: unknown) => JSON.stringify(entry) ?? String(entry);
  const kept: unknown[] = [];
  const inserted = new Map<number, unknown[]>();
  let at = 0;
  let pendingRemovals = 0;
  const settleRemovals = () => {
    while (pendingRemovals > 0) {
      kept.push(removed);
      pendingRemovals -= 1;
    }
  };
  for (const part of diffArrays(base.map(text), edited.map(text))) {
    const count = part.value.length;
    if (part.removed) {
      pendingRemovals += count;
      continue;
    }
    const entries = edited.slice(at, at + count);
    at += count;
    if (part.added) {
      kept.push(...entries.splice(0, pendingRemovals));
      pendingRemovals = Math.max(0, pendingRemovals - count);
      settleRemovals();
      if (entries.length > 0) inserted.set(kept.length, entries);
    } else {
      settleRemovals();
      kept.push(...entries);
    }
  }
  settleRemovals();
  return { kept, inserted };
};
