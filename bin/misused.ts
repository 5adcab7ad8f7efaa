import type { Command, CommandIo } from './command.js';

/** Prints the fault of the arguments, and the usage; returns the exit code. */
export const misused = ({ err }: CommandIo, { name, usage }: Command, problem: string): number => {
  err(`${name}: ${problem}\n\n${usage}\n`);
  return 2;
};
