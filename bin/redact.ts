import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { formatTrace, parseTrace, redactTrace } from '../src/index.js';
import type { Command } from './command.js';

/** Writes the public view of recorded runs. */
export const redact: Command = {
  name: 'redact',
  summary: 'Writes the public view of a trace: without what nobody was shown or was rejected.',
  usage: 'mastra-interlock redact TRACE.jsonl > PUBLIC.jsonl',
  run: async (args, { out, err, cwd }) => {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
    const [path] = positionals;
    if (path === undefined || positionals.length > 1) {
      err(`${redact.usage}\n`);
      return 2;
    }
    out(formatTrace(redactTrace(parseTrace(await readFile(resolve(cwd, path), 'utf8')))));
    return 0;
  },
};
