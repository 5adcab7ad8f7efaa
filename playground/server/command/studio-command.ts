import { isInterlockError } from '../../../src/index.js';
import { loadEntry } from './load-entry.js';
import { optionsUsage, readStudioCommand, type ServeArguments } from './command-line.js';
import { serveUntilStopped } from './serve-until-stopped.js';
import { keepingFile } from './keeping-file.js';

const usage = `Opens the studio beside an application: a page that shows runs, state by state.

  mastra-interlock studio --entry src/mastra/index.ts

  --entry <file>      A module that exports a Mastra instance, as \`mastra\` or
                      as its default.
${optionsUsage}`;

/** Where a command says things. */
export interface Output {
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
}

/** The command \`studio\`. Gives the program's exit code. */
export const studioCommand = (args: readonly string[], output: Output): Promise<number> =>
  complaining(output, async () => {
    const command = readStudioCommand(args);
    if (command.kind === 'help' || command.entry === undefined) {
      (command.kind === 'help' ? output.print : output.complain)(usage);
      return command.kind === 'help' ? 0 : 1;
    }
    return serveMastra(await loadEntry(command.entry), command, output);
  });

/** What can be served beside the arguments. */
type Served = Parameters<typeof serveUntilStopped>[0]['mastra'];

const serveMastra = async (mastra: Served, args: ServeArguments, { print, complain }: Output): Promise<number> => {
  const { entry: _, file, ...rest } = args;
  return serveUntilStopped({ mastra, ...rest, file: await keepingFile(file, complain) }, print);
};

/** An error of ours is said in its own words, without a stack. */
export const complaining = async ({ complain }: Output, run: () => Promise<number>): Promise<number> => {
  try {
    return await run();
  } catch (error) {
    if (!isInterlockError(error)) throw error;
    complain(error.message);
    return 1;
  }
};
