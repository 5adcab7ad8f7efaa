import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InterlockError } from '../src/errors.js';

/** The input and output of a command, so that it can run in a test. */
export interface CommandIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The folder against which paths are resolved. */
  readonly cwd: string;
  /** Whether `err` is a terminal. Default `false`. */
  readonly isTerminal?: boolean;
  /** Asks a yes or no question. Undefined without a terminal. */
  readonly ask?: (question: string) => Promise<boolean>;
}

/** One command of `mastra-interlock`. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The command line with its options. */
  readonly usage: string;
  /** Runs the command and returns the exit code. An error is printed with its message, and the exit code is 2. */
  run(args: readonly string[], io: CommandIo): Promise<number>;
}

/** Prints the fault of the arguments, and the usage; returns the exit code. */
export const misused = ({ err }: CommandIo, { name, usage }: Command, problem: string): number => {
  err(`${name}: ${problem}\n\n${usage}\n`);
  return 2;
};

/** Reads a file without its byte order mark, which editors on Windows add. Raises `command/unreadable-file`. */
export const readText = async ({ cwd }: CommandIo, path: string): Promise<string> => {
  try {
    return (await readFile(resolve(cwd, path), 'utf8')).replace(/^\uFEFF/, '');
  } catch (cause) {
    throw new InterlockError('command/unreadable-file', { path, detail: (cause as Error).message, cause });
  }
};

/** Rows as lines, each column as wide as its widest cell; all columns but the first are right-aligned. */
export const columns = (rows: readonly (readonly string[])[]): string[] => {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
  );
};
