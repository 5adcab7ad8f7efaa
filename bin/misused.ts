import type { Command, CommandIo } from './command.js';

/** Says what is wrong with the arguments, and how the command is called; gives the exit code. */
export const misused = ({ err }: CommandIo, { name, usage }: Command, what: string): number => {
  err(`${name}: ${what}\n\n${usage}\n`);
  return 2;
};
