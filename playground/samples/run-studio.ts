import { fileURLToPath } from 'node:url';
import { readStudioCommand, type StudioCommand } from '../server/command/command-line.js';
import { databaseFile } from '../server/command/keeping-file.js';
import { serveUntilStopped } from '../server/command/serve-until-stopped.js';
import type { Output } from '../server/command/studio-command.js';
import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { isInterlockError } from '../../src/index.js';
import { isBuilt } from './is-built.js';
import { openModel, readProvider } from './model.js';
import { createSamples } from './samples.js';

const usage = `Opens the studio with sample agents.

  --port <number>, --host <address>, --token <text>, --no-token, --file <path>,
  --content <which>, --max-runs <n>, --max-mb <n>: see \`mastra-interlock studio --help\`.
  --once <text>, --json: run one turn of the chat instead; see npm run chat -- --help.`;

/** The studio over the sample agents. Returns the program's exit code. */
export const runStudio = async (args: readonly string[], output: Output): Promise<number> => {
  try {
    const command = readStudioCommand(args);
    if (command.kind === 'serve') return await serve(command, output);
    output.print(usage);
    return 0;
  } catch (error) {
    if (!isInterlockError(error)) throw error;
    output.complain(error.message); // the error's message, without a stack
    return 1;
  }
};

const serve = async (command: Extract<StudioCommand, { kind: 'serve' }>, { print, complain, cwd }: Output): Promise<number> => {
  const provider = readProvider(process.env);
  if (provider.kind === 'wrong') {
    complain(provider.message);
    return 1;
  }
  await buildPages(complain);
  const { model, name, close } = await openModel(provider);
  print(
    name === undefined ? 'No provider is configured. An embedded local responder gives prepared responses.' : `Model: ${name}`,
  );
  const { kind: _, entry: __, file: option, ...rest } = command;
  const file = await databaseFile(option, { complain, cwd });
  const engine = file === undefined ? undefined : openWorkflow({ path: `${file}.engine` }); // suspended runs outlive this process
  try {
    return await serveUntilStopped({ ...createSamples(model, engine), ...rest, file }, print);
  } finally {
    await engine?.close();
    await close();
  }
};

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds the studio's pages if they are missing or out of date. */
export const buildPages = async (print: (line: string) => void): Promise<void> => {
  if (isBuilt('dist/studio/index.html', ['playground/{web,fold,protocol}/**'])) return;
  print('Building the studio pages; this takes a few seconds …');
  const { build } = await import('vite');
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production'; // in a process of tests as well: the shipped pages are built this way
  try {
    await build({ configFile: `${root}playground/web/vite.config.ts`, logLevel: 'warn' });
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
};
