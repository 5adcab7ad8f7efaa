import type { CombinedFinder } from './combine-finders.js';

/** Finds what the other does, but for values that are allowed. What may become a value is held all the same. */
export const withoutAllowed = <Kind extends string>(
  finder: CombinedFinder<Kind>,
  isAllowed: (value: string) => boolean,
): CombinedFinder<Kind> => ({
  ...finder,
  find: (text, from, until) => finder.find(text, from, until).filter(({ start, end }) => !isAllowed(text.slice(start, end))),
});
