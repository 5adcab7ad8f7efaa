import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compareTraces, replay as replayTrace, type ComparedRow, type TraceComparison } from '../src/index.js';
import type { Command, CommandIo } from './command.js';
import { eachTrace } from './each-trace.js';
import { loadGuards } from './load-guards.js';
import { misused } from './misused.js';

/** Replays recorded runs with guards from a file, and says which verdicts differ. */
export const replay: Command = {
  name: 'replay',
  summary: 'Runs recorded runs again with other guards, without a model, and says which verdicts differ.',
  usage: `mastra-interlock replay TRACE.jsonl... --pipeline FILE [--json]

FILE is a module whose default export, or export of the name "agent", "pipeline" or "guards", is an InterlockAgent, a pipeline, a
guard, or an object with inputProcessors, outputProcessors and errorProcessors.

  --json   one JSON object for each trace, a line each

Exit code: 0 where every verdict is the same, 1 where any differs, 2 where something could not be read.`,
  run: async (args, io) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { pipeline: { type: 'string' }, json: { type: 'boolean' } },
    });
    if (positionals.length === 0) return misused(io, replay, 'name the traces.');
    if (values.pipeline === undefined) return misused(io, replay, '--pipeline is missing.');
    const guards = await loadGuards(resolve(io.cwd, values.pipeline));
    let [replayed, differing] = [0, 0];
    const unread = await eachTrace(io, positionals, async (recorded, path) => {
      const { trace, endedAt } = await replayTrace(recorded, guards);
      const comparison = compareTraces(recorded, trace);
      replayed += 1;
      if (comparison.differs) differing += 1;
      tell(
        io,
        { path, comparison, endedAt: endedAt && `step ${endedAt.stepNumber}, attempt ${endedAt.attempt}: ${endedAt.reason}` },
        values.json,
      );
    });
    if (!values.json) io.out(`\n${replayed} replayed, ${differing} differ${unread > 0 ? `, ${unread} could not be read` : ''}\n`);
    if (unread > 0) return 2;
    return differing > 0 ? 1 : 0;
  },
};

interface Told {
  readonly path: string;
  readonly comparison: TraceComparison;
  readonly endedAt: string | undefined;
}

const tell = ({ out }: CommandIo, { path, comparison, endedAt }: Told, asJson = false): void => {
  const { before, after, differs, rows } = comparison;
  if (asJson) return out(`${JSON.stringify({ path, ...comparison, ...(endedAt && { endedAt }) })}\n`);
  const [was, is] = [before.status ?? 'unfinished', after.status ?? 'ended'];
  out(`${differs ? 'differs' : 'same   '}  ${path}  ${was === is ? is : `${was} -> ${is}`}\n`);
  for (const row of rows) if (row.differs) out(`         ${lineOf(row)}\n`);
  if (endedAt) out(`         ended at ${endedAt}\n`);
};

const lineOf = ({ stepNumber, attempt, phase, processorId, before, after }: ComparedRow): string => {
  const said = (one: ComparedRow['before']): string => (one ? [one.verdict, one.reason].filter(Boolean).join(': ') : 'not asked');
  return `step ${stepNumber}, attempt ${attempt}, ${phase} ${processorId}: ${said(before)} -> ${said(after)}`;
};
