import { resolve } from 'node:path';
import { readStudioCommand } from './command-line.js';
import { databaseFile } from './keeping-file.js';
import { loadEntry } from './load-entry.js';
import { serveUntilStopped } from './serve-until-stopped.js';
import { InterlockError } from '../../../src/index.js';

/** The output of a command, and its working directory. */
export interface Output {
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
  /** The folder against which paths are resolved. */
  readonly cwd: string;
}

/**
 * Serves the studio over the Mastra instance of a module, until it is stopped. Returns the program's exit code. Raises
 * `studio/invalid-option`, `studio/invalid-entry`, `studio/port-taken`.
 */
export const studioCommand = async (args: readonly string[], { print, complain, cwd }: Output): Promise<number> => {
  const command = readStudioCommand(args);
  if (command.kind === 'help' || command.entry === undefined)
    throw new InterlockError('studio/invalid-option', {
      path: '--entry',
      detail: 'pass the module that exports the Mastra instance',
    });
  const { entry, file, kind: _, ...rest } = command;
  const mastra = await loadEntry(resolve(cwd, entry));
  return serveUntilStopped({ mastra, ...rest, file: await databaseFile(file, { complain, cwd }) }, print);
};
