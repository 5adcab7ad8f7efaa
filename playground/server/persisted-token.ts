import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { isInMemory } from './store/open-store.js';

/** A token that is stored with the runs, so that open pages still work after a restart. */
export const persistedToken = (file = 'memory'): string => {
  const made = randomBytes(24).toString('base64url');
  if (isInMemory(file)) return made;
  const path = `${file}.token`;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    writeFileSync(path, made, { mode: 0o600 });
    return made;
  }
};
