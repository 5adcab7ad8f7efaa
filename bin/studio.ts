import type { Command } from './command.js';

/** Serves the studio beside an application. */
export const studio: Command = {
  name: 'studio',
  summary: 'Opens the studio: a page that shows the runs of an application, state by state.',
  usage: `mastra-interlock studio --entry src/mastra/index.ts

  --entry <file>      A module that exports a Mastra instance, as \`mastra\` or
                      as its default.
  --port <number>     Default 4477, or a free one where that is taken.
  --host <address>    Default 127.0.0.1: reached from this machine alone.
  --token <text>      The token that requests must bring, instead of one that
                      is made up. It is part of the address that is printed.
  --no-token          Every account of this machine may open the studio.
  --file <path>       Where runs are kept; "memory" keeps them until the end.
                      Default .interlock/studio.db.
  --content <which>   all: words that no guard has let go are kept, and shown
                      to who asks for them; released: they are not kept.
                      Default all.
  --max-runs <n>      Runs that are kept. Default 1000.
  --max-mb <n>        Megabytes of runs that are kept. Default 256.`,
  run: async (args, { out, err, cwd }) => {
    const { studioCommand } = await import('../playground/server/command/studio-command.js'); // no other command needs a server
    return studioCommand(args, { print: (line) => out(`${line}\n`), complain: (line) => err(`${line}\n`), cwd });
  },
};
