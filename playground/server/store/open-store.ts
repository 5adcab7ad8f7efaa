import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InterlockError } from '../../../src/errors.js';
import { checkIntegration } from '../../../src/integration.js';
import { openLibsqlStore } from './libsql-store.js';
import { openMemoryStore } from './memory-store.js';
import type { RunStore, StoreBounds } from './run-store.js';

export interface StoreOptions extends StoreBounds {
  /** The file in which runs are kept, made where it is missing. Default: `'memory'`, which is none. */
  readonly file?: string;
}

/** What stands in a file's place where there is none. */
export const inMemory = 'memory';

/** Opens the store that the options ask for. Raises `studio/unusable-file`, `install/unsupported-version`. */
export const openStore = async (options: StoreOptions): Promise<RunStore> => {
  const { file, maxRuns, maxBytes } = options;
  const bounds = { ...(maxRuns !== undefined && { maxRuns }), ...(maxBytes !== undefined && { maxBytes }) };
  if (file === undefined || file === inMemory) return openMemoryStore(bounds);
  checkIntegration('@libsql/client');
  try {
    mkdirSync(dirname(resolve(file)), { recursive: true });
    return await openLibsqlStore({ url: pathToFileURL(resolve(file)).href, ...bounds });
  } catch (cause) {
    throw new InterlockError('studio/unusable-file', {
      path: file,
      detail: cause instanceof Error ? cause.message : undefined,
      cause,
    });
  }
};
