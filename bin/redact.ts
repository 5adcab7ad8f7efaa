import { parseArgs } from 'node:util';
import { formatTrace, redactTrace } from '../src/index.js';
import type { Command } from './command.js';
import { eachTrace } from './each-trace.js';
import { misused } from './misused.js';

/** Writes the public view of recorded runs. */
export const redact: Command = {
  name: 'redact',
  summary: 'Writes the public view of a trace: without what nobody was shown or was rejected.',
  usage: 'mastra-interlock redact TRACE.jsonl > PUBLIC.jsonl',
  run: async (args, io) => {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
    if (positionals.length !== 1) return misused(io, redact, 'name one trace.');
    const unread = await eachTrace(io, positionals, (trace) => io.out(formatTrace(redactTrace(trace))));
    return unread > 0 ? 2 : 0;
  },
};
