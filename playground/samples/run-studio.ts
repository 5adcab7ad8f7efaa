import { readProvider } from '../chat/provider.js';
import { openModel } from '../chat/open-model.js';
import { optionsUsage, readStudioCommand, type StudioCommand } from '../server/command/command-line.js';
import { keepingFile } from '../server/command/keeping-file.js';
import { serveUntilStopped } from '../server/command/serve-until-stopped.js';
import { complaining, type Output } from '../server/command/studio-command.js';
import { buildPages } from './build-pages.js';
import { createSamples } from './samples.js';

const usage = `Opens the studio with sample agents. With --once or --json it is the chat: see
npm run chat -- --help.

${optionsUsage}`;

/** The studio over the sample agents. Gives the program's exit code. */
export const runStudio = (args: readonly string[], output: Output): Promise<number> =>
  complaining(output, async () => {
    const command = readStudioCommand(args);
    if (command.kind === 'serve') return serve(command, output);
    output.print(usage);
    return 0;
  });

const serve = async (command: Extract<StudioCommand, { kind: 'serve' }>, { print, complain }: Output): Promise<number> => {
  const provider = readProvider(process.env);
  if (provider.kind === 'wrong') {
    complain(provider.say);
    return 1;
  }
  await buildPages(complain);
  const { model, name, close } = await openModel(provider);
  print(name === undefined ? 'No provider is configured: an embedded local responder gives prepared answers.' : `Model: ${name}`);
  const { kind: _, entry: __, file, ...rest } = command;
  try {
    return await serveUntilStopped({ ...createSamples(model), ...rest, file: await keepingFile(file, complain) }, print);
  } finally {
    await close();
  }
};
