import type { Journal } from './run.js';

/** A run that lives as long as its process: one checkpointed section. */
export const noJournal: Journal = {
  isFenced: false,
  checkpoint: (_run, _key, body) => body(),
  part: (_key, body) => body(),
  claim: async () => true,
  mayEnd: () => false,
  catchUp: () => undefined,
};
