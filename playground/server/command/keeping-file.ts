import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isInMemory } from '../store/open-store.js';

/** The default file for a command's runs. */
const defaultFile = join('.interlock', 'studio.db');

interface Place {
  readonly complain: (line: string) => void;
  readonly cwd: string;
}

/**
 * The file for a command's runs, in a folder that git ignores; undefined for runs in memory, because that
 * was requested or the optional peer is not installed.
 */
export const databaseFile = async (option: string | undefined, { complain, cwd }: Place): Promise<string | undefined> => {
  if (option !== undefined && isInMemory(option)) return undefined;
  if (option === undefined && !(await hasLibsql())) {
    complain('Runs are stored in memory. Install @libsql/client to store them in a file.');
    return undefined;
  }
  if (option !== undefined) return resolve(cwd, option);
  const file = join(cwd, defaultFile);
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true });
  const ignored = join(folder, '.gitignore');
  if (!existsSync(ignored)) writeFileSync(ignored, '*\n');
  return file;
};

const hasLibsql = async (): Promise<boolean> => {
  try {
    await import('@libsql/client');
    return true;
  } catch {
    return false;
  }
};
