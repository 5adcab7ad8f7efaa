/** A filter of runs that this browser keeps. */
export interface SavedFilter {
  readonly name: string;
  /** The query of its address, with its question mark. */
  readonly address: string;
}

const key = 'interlock-saved-filters';

/** What is kept; nothing where that cannot be read. */
export const readSaved = (): readonly SavedFilter[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isSaved) : [];
  } catch {
    return []; // no storage, or not ours
  }
};

const isSaved = (value: unknown): value is SavedFilter => {
  const { name, address } = (value ?? {}) as { name?: unknown; address?: unknown };
  return typeof name === 'string' && typeof address === 'string' && address.startsWith('?');
};

export const writeSaved = (saved: readonly SavedFilter[]): void => {
  try {
    localStorage.setItem(key, JSON.stringify(saved));
  } catch {
    // it is kept for as long as the page is open
  }
};

/** With a filter, in the place of the one of its name. */
export const withFilter = (saved: readonly SavedFilter[], filter: SavedFilter): readonly SavedFilter[] => [
  ...withoutFilter(saved, filter.name),
  filter,
];

export const withoutFilter = (saved: readonly SavedFilter[], name: string): readonly SavedFilter[] =>
  saved.filter((one) => one.name !== name);
