import type { Journal } from './run.js';

/** A run that lives as long as its process: one stretch. */
export const noJournal: Journal = {
  isFenced: false,
  stretch: (_run, _key, body) => body(),
  part: (_key, body) => body(),
  claim: async () => true,
  mayEnd: () => false,
  catchUp: () => undefined,
};
