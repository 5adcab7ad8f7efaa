import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InterlockError } from '../src/index.js';
import type { CommandIo } from './command.js';

/** Reads a file without its byte order mark, which editors on Windows add. Raises `command/unreadable-file`. */
export const readText = async ({ cwd }: CommandIo, path: string): Promise<string> => {
  try {
    return (await readFile(resolve(cwd, path), 'utf8')).replace(/^\uFEFF/, '');
  } catch (cause) {
    throw new InterlockError('command/unreadable-file', { path, detail: (cause as Error).message, cause });
  }
};
