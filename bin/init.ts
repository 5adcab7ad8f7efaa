import { createTwoFilesPatch } from 'diff/lib/patch/create.js';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { check } from './check.js';
import { misused, type Command, type CommandIo } from './command.js';
import { messageOf } from '../src/errors.js';
import { agentsLeft, editAgents } from './edit-agents.js';
import { sourcesIn, maskedOf } from './source-text.js';
import { templates } from './templates.js';

const entries = ['src/mastra/index.ts', 'mastra/index.ts', 'src/mastra/index.js', 'src/mastra.ts'];

/** Adds guards to the agents of an existing application. */
export const init: Command = {
  name: 'init',
  summary: 'Adds guards to the agents of a Mastra or AI SDK application, or creates a new application.',
  usage: `mastra-interlock init [--yes] [--swap-only] [--entry src/mastra/index.ts]
       mastra-interlock init --template ${Object.keys(templates).join('|')}

Finds \`new Agent({ … })\` of Mastra and \`new ToolLoopAgent({ … })\` of the AI SDK,
imports them from Interlock, and proposes guards for agents without guards.
Then it runs \`check\`.

With --template it creates a new application in an empty folder instead: one guarded
agent, which runs without an API key.

  --template <name>  chat: in the terminal; api: an HTTP endpoint; next: a chat page in Next.js;
                     next-ai-sdk: the same with the AI SDK alone, without Mastra.
  --yes           Writes the files without confirmation.
  --swap-only     Changes imports and classes only; proposes no guards.
  --entry <file>  The module that exports the Mastra instance, for \`check\`.
                  Default: ${entries.join(', ')}, the first that exists.

Exit code: 0, 2 if no file was written. What \`check\` finds, or cannot check, is printed.`,
  run: async (args, io) => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        yes: { type: 'boolean' },
        'swap-only': { type: 'boolean' },
        entry: { type: 'string' },
        template: { type: 'string' },
      },
    });
    if (values.template !== undefined) return writeTemplate(values.template, io);
    const { changes, left } = planOf(io.cwd, !values['swap-only']);
    const notes = left.length > 0 ? `Agents without a proposal:\n${left.join('\n')}\n` : '';
    if (changes.length === 0) {
      io.out(
        'No unguarded `new Agent({ … })` or `new ToolLoopAgent({ … })` was found. For generateText and streamText, see withGuards.\n',
      );
      return 0;
    }
    for (const { path, before, after } of changes) io.out(createTwoFilesPatch(path, path, before, after, '', '', { context: 2 }));
    io.out(notes);
    if (!values.yes && !(await confirmed(io, changes.length))) {
      io.err('No file was written. Use --yes to write without confirmation.\n');
      return 2;
    }
    for (const { path, after } of changes) writeFileSync(join(io.cwd, path), after);
    io.out(`${changes.length} file${changes.length === 1 ? '' : 's'} written.\n`);
    return checked(io, values.entry);
  },
};

/** Files that a new repository may have already; they are kept. */
const ofRepository = /^(?:README\.md|\.gitignore)$/;

/** Writes a new application if none of its files exists. */
const writeTemplate = (name: string, io: CommandIo): number => {
  const template = Object.hasOwn(templates, name) ? templates[name] : undefined;
  if (!template) return misused(io, init, `unknown template "${name}".`);
  const exists = (path: string): boolean => existsSync(join(io.cwd, path));
  const files = Object.entries(template).filter(([path]) => !(ofRepository.test(path) && exists(path)));
  const present = files.map(([path]) => path).filter(exists);
  if (present.length > 0) {
    io.err(`No file was written: ${present.join(', ')} already exists. Run this command in an empty folder.\n`);
    return 2;
  }
  for (const [path, text] of files) {
    mkdirSync(dirname(join(io.cwd, path)), { recursive: true });
    writeFileSync(join(io.cwd, path), text);
  }
  io.out(`Written: ${files.map(([path]) => path).join(', ')}\nNext: npm install && npm start\n`);
  return 0;
};

const confirmed = async ({ ask }: CommandIo, files: number): Promise<boolean> =>
  (await ask?.(`Write ${files} file${files === 1 ? '' : 's'}? (y/N) `)) ?? false;

/** Runs `check` if the application can load the package. */
const checked = async (io: CommandIo, folder: string | undefined): Promise<number> => {
  const entry = folder ?? entries.find((path) => existsSync(join(io.cwd, path)));
  const isInstalled = canResolve(io.cwd);
  if (!isInstalled) io.out('Next: npm install mastra-interlock\n');
  if (entry === undefined) {
    io.out(`Not checked: none of ${entries.join(', ')} exists. Use --entry <file>.\n`);
    return 0;
  }
  const command = `npx mastra-interlock check --entry ${entry}`;
  if (!isInstalled) {
    io.out(`Then: ${command}\n`);
    return 0;
  }
  try {
    if ((await check.run(['--entry', entry], io)) !== 0) io.out(`After the errors are fixed: ${command}\n`);
  } catch (error) {
    io.out(`Not checked: ${messageOf(error)}\nLater: ${command}\n`);
  }
  return 0; // the files are written
};

const canResolve = (cwd: string): boolean => {
  const folders = createRequire(join(cwd, 'package.json')).resolve.paths('mastra-interlock') ?? [];
  return folders.some((folder) => existsSync(join(folder, 'mastra-interlock/package.json')));
};

/** The changes of an application's files, and the agents that keep their own guards. */
const planOf = (cwd: string, proposes: boolean) => {
  const files = sourcesIn(cwd).map((file) => ({ path: relative(cwd, file), before: readFileSync(file, 'utf8') }));
  const restores = files.some(({ before }) => actsOnAddresses(before));
  return {
    changes: files.flatMap(({ path, before }) => {
      const after = editAgents(before, { proposes, restores });
      return after === before ? [] : [{ path, before, after }];
    }),
    left: files.flatMap(({ path, before }) =>
      proposes ? agentsLeft(before, restores).map(({ line, reason }) => `  ${path}:${line}: ${reason}`) : [],
    ),
  };
};

/** A tool whose arguments name a person, an address or an account. */
const addressed =
  /\b(?:to|cc|bcc|e?mails?|phone\w*|recipients?|attendees?|address\w*|iban|card\w*|\w+(?:Email|Phone|Address))\s*:\s*z\s*\./;

/** Whether a file has a tool that acts on personal values. */
const actsOnAddresses = (source: string): boolean =>
  /\b(?:createTool|tool)\s*\(/.test(source) && addressed.test(maskedOf(source));
