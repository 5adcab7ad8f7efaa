import type { Command, CommandIo } from './command.js';

/** Prints the fault of the arguments, and the usage; returns the exit code. */
export const misused = ({ err }: CommandIo, { name, usage }: Command, what: string): number => {
  err(`${name}: ${what}\n\n${usage}\n`);
  return 2;
};
