import { parseArgs } from 'node:util';
import { resolve } from 'node:path';
import { isInterlockError } from '../src/index.js';
import { formatTrace, redactTrace, compareTraces, replay as replayTrace, type TraceComparison } from '../src/replay.js';
import type { ComparedRow } from '../src/trace/compare-traces.js';
import { libraryName } from '../src/library.js';
import { check } from './check.js';
import { misused, type Command, type CommandIo } from './command.js';
import { evalCommand } from './eval.js';
import { init } from './init.js';
import { shadow } from './shadow.js';
import { eachTrace, loadGuards } from './inputs.js';

/** Replays recorded runs with guards from a file, and prints the verdicts that differ. */
const replay: Command = {
  name: 'replay',
  summary: 'Replays recorded runs with other guards, without a model, and lists verdicts that differ.',
  usage: `mastra-interlock replay TRACE.jsonl... --pipeline FILE [--json]

FILE is a module that exports an InterlockAgent, a pipeline, a guard, or an object with inputProcessors, outputProcessors and errorProcessors,
as its default or as "agent", "pipeline" or "guards".

  --json   Prints one JSON object per trace, one per line.

Exit code: 0 if all verdicts match, 1 if any differs, 2 if a file could not be read.`,
  run: async (args, io) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { pipeline: { type: 'string' }, json: { type: 'boolean' } },
    });
    if (positionals.length === 0) return misused(io, replay, 'a trace file is missing.');
    if (values.pipeline === undefined) return misused(io, replay, '--pipeline is missing.');
    const guards = await loadGuards(resolve(io.cwd, values.pipeline));
    let [replayed, differing] = [0, 0];
    const unread = await eachTrace(io, positionals, async (recorded, path) => {
      const { trace, endedAt: end } = await replayTrace(recorded, guards);
      const comparison = compareTraces(recorded, trace);
      replayed += 1;
      if (comparison.differs) differing += 1;
      const endedAt = end && `step ${end.stepNumber}, attempt ${end.attempt}: ${end.reason}`;
      const report = { path, ...comparison, ...(endedAt && { endedAt }) };
      io.out(values.json ? `${JSON.stringify(report)}\n` : textOf(report));
    });
    if (!values.json) io.out(`\n${replayed} replayed, ${differing} differ${unread > 0 ? `, ${unread} could not be read` : ''}\n`);
    if (unread > 0) return 2;
    return differing > 0 ? 1 : 0;
  },
};

const textOf = ({
  path,
  before,
  after,
  differs,
  rows,
  endedAt,
}: TraceComparison & { path: string; endedAt?: string }): string => {
  const [was, is] = [before.status ?? 'unfinished', after.status ?? 'ended'];
  const details = [...rows.filter((row) => row.differs).map(lineOf), ...(endedAt ? [`ended at ${endedAt}`] : [])];
  const title = `${differs ? 'differs' : 'same   '}  ${path}  ${was === is ? is : `${was} -> ${is}`}\n`;
  return title + details.map((line) => `         ${line}\n`).join('');
};

const lineOf = ({ stepNumber, attempt, phase, processorId, before, after }: ComparedRow): string => {
  const verdictText = (one: ComparedRow['before']): string =>
    one ? [one.verdict, one.reason].filter(Boolean).join(': ') : 'no verdict';
  return `step ${stepNumber}, attempt ${attempt}, ${phase} ${processorId}: ${verdictText(before)} -> ${verdictText(after)}`;
};

/** Serves the studio for an application. */
const studio: Command = {
  name: 'studio',
  summary: 'Opens the studio: a web page that shows the runs of an application, state by state.',
  usage: `mastra-interlock studio --entry src/mastra/index.ts

  --entry <file>      A module that exports a Mastra instance, as \`mastra\` or
                      as its default.
  --port <number>     Default 4477, or a free port if 4477 is in use.
  --host <address>    Default 127.0.0.1: reachable from this machine only.
  --token <text>      The access token of requests. Default: a random token.
                      The printed address contains it.
  --no-token          Every account of this machine can open the studio.
  --file <path>       The file that stores runs, or "memory" (until exit).
                      Default .interlock/studio.db.
  --content <which>   all: also stores text that was not emitted, and shows
                      it on request; released: stores emitted text only.
                      Default all.
  --max-runs <n>      Maximum number of stored runs. Default 1000.
  --max-mb <n>        Maximum size of stored runs in MB. Default 256.`,
  run: async (args, { out, err, cwd }) => {
    const { studioCommand } = await import('../playground/server/command/studio-command.js'); // no other command needs a server
    return studioCommand(args, { print: (line) => out(`${line}\n`), complain: (line) => err(`${line}\n`), cwd });
  },
};

/** Writes the public view of recorded runs. */
const redact: Command = {
  name: 'redact',
  summary: 'Writes the public view of a trace: without rejected content and content that was not emitted.',
  usage: 'mastra-interlock redact TRACE.jsonl > PUBLIC.jsonl',
  run: async (args, io) => {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
    if (positionals.length !== 1) return misused(io, redact, 'one trace file is required.');
    const unread = await eachTrace(io, positionals, (trace) => io.out(formatTrace(redactTrace(trace))));
    return unread > 0 ? 2 : 0;
  },
};

/** The commands, in the order of the list. */
const commands: readonly Command[] = [init, check, studio, replay, shadow, evalCommand, redact];

/** Runs the named command; returns the exit code: 2 if it could not run. */
export const runCommand = async ([name, ...args]: readonly string[], io: CommandIo): Promise<number> => {
  if (name === '--version') {
    io.out(`${libraryName}\n`);
    return 0;
  }
  const command = commands.find((one) => one.name === name);
  if (!command) {
    const wantsHelp = name === undefined || name === '--help' || name === '-h' || name === 'help';
    (wantsHelp ? io.out : io.err)(`${wantsHelp ? '' : `Unknown command "${name}".\n\n`}${listOf(commands)}`);
    return wantsHelp ? 0 : 2;
  }
  if (args.includes('--help') || args.includes('-h')) {
    io.out(`${command.usage}\n`);
    return 0;
  }
  try {
    return await command.run(args, io);
  } catch (error) {
    for (const line of linesOf(error, command)) io.err(`${line}\n`);
    return 2;
  }
};

/** The output for an error: its message, the address of its documentation, and the stacks of its causes. */
const linesOf = (error: unknown, { name }: Command): string[] => [
  error instanceof Error ? error.message : String(error),
  ...(isInterlockError(error) ? [`See ${error.docs}`] : []),
  ...causesOf(error),
  ...(isArgument(error) ? [`Run mastra-interlock ${name} --help to see its usage.`] : []),
];

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
  return `mastra-interlock <command> [options]\n\n${lines.join('\n')}\n\nRun a command with --help to see its usage.\n`;
};
