import type { CombinedFinder } from './combine-finders.js';

/** Finds the values of another finder that are not allowed. A possible start of a value is still buffered. */
export const withoutAllowed = <Kind extends string>(
  finder: CombinedFinder<Kind>,
  isAllowed: (value: string) => boolean,
): CombinedFinder<Kind> => ({
  ...finder,
  find: (text, from, until) => finder.find(text, from, until).filter(({ start, end }) => !isAllowed(text.slice(start, end))),
});
