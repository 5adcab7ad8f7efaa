import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const changedAt = (path: string): number => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Whether a built file of the repository is newer than its sources, and than their folders, which change when a file is removed. */
export const isBuilt = (file: string, sources: readonly string[]): boolean => {
  const builtAt = changedAt(file);
  const paths = globSync([...sources, 'package-lock.json'], { cwd: root, exclude: (name) => name.includes('node_modules') });
  return paths.every((path) => changedAt(path) < builtAt);
};
