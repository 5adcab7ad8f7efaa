import { isInterlockError } from '../src/index.js';
import { libraryName } from '../src/trace/library-version.js';
import { check } from './check.js';
import type { Command, CommandIo } from './command.js';
import { evalCommand } from './eval.js';
import { init } from './init.js';
import { redact } from './redact.js';
import { replay } from './replay.js';
import { shadow } from './shadow.js';
import { studio } from './studio.js';

/** The commands, in the order in which they are listed. */
const commands: readonly Command[] = [init, check, studio, replay, shadow, evalCommand, redact];

/** Runs the command that the arguments name; gives the exit code: 2 where it could not be run. */
export const runCommand = async ([name, ...args]: readonly string[], io: CommandIo): Promise<number> => {
  if (name === '--version') {
    io.out(`${libraryName}\n`);
    return 0;
  }
  const command = commands.find((one) => one.name === name);
  if (!command) {
    const isAsked = name === undefined || name === '--help' || name === '-h' || name === 'help';
    (isAsked ? io.out : io.err)(`${isAsked ? '' : `There is no command "${name}".\n\n`}${listOf(commands)}`);
    return isAsked ? 0 : 2;
  }
  if (args.includes('--help') || args.includes('-h')) {
    io.out(`${command.usage}\n`);
    return 0;
  }
  try {
    return await command.run(args, io);
  } catch (error) {
    io.err(`${error instanceof Error ? error.message : String(error)}\n`);
    for (const stack of causesOf(error)) io.err(`${stack}\n`);
    if (isArgument(error)) io.err(`mastra-interlock ${name} --help says how it is called.\n`);
    return 2;
  }
};

/** The errors behind an error of this package, with their stacks. */
const causesOf = (error: unknown): string[] => {
  const { cause } = (error ?? {}) as { cause?: unknown };
  if (!isInterlockError(error) || !(cause instanceof Error)) return [];
  return [`Caused by: ${cause.stack ?? cause.message}`, ...causesOf(cause)];
};

const isArgument = (error: unknown): boolean => String((error as { code?: unknown } | null)?.code).startsWith('ERR_PARSE_ARGS_');

const listOf = (all: readonly Command[]): string => {
  const width = Math.max(...all.map(({ name }) => name.length));
  const lines = all.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `mastra-interlock <command> [options]\n\n${lines.join('\n')}\n\n--help after a command says how it is called.\n`;
};
