import { parseArgs } from 'node:util';
import { shadowReport, type ShadowComparison, type ShadowReport } from '../src/replay.js';
import { milliseconds } from '../src/eval/measure.js';
import { columns, misused, type Command, type CommandIo } from './command.js';
import { eachTrace } from './inputs.js';

type ShadowExample = ShadowComparison['examples'][number];

/** Reports the shadow guards' verdicts in recorded runs. */
export const shadow: Command = {
  name: 'shadow',
  summary: 'Compares the verdicts of shadow guards with those of active guards, in recorded runs.',
  usage: `mastra-interlock shadow TRACE.jsonl... [--guard ID] [--against ID] [--json]

  --guard <id>     The shadow guard. Default: all shadow guards of these runs.
  --against <id>   The active guard to compare with. Default: the strictest
                   verdict of its array in the same step.
  --count-edits    Counts edits as objections, for guards that redact.
  --examples <n>   Examples per kind of disagreement. Default 5.
  --words all      Examples also show rejected text. Default: accepted text
                   only.
  --json           Prints the report as JSON.

Exit code: 0, or 2 if a file could not be read or nothing was compared.`,
  run: async (args, io) => {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    const maxExamples = Number(values.examples ?? 5);
    if (positionals.length === 0) return misused(io, shadow, 'a trace file is missing.');
    if (!Number.isInteger(maxExamples) || maxExamples < 0)
      return misused(io, shadow, '--examples must be an integer of 0 or more.');
    if (!((values.words ?? 'accepted') in wordChoices)) return misused(io, shadow, '--words must be accepted or all.');
    const traces: Parameters<typeof shadowReport>[0][number][] = [];
    const unread = await eachTrace(io, positionals, (trace) => traces.push(trace));
    const report = shadowReport(traces, {
      guard: values.guard,
      against: values.against,
      countEdits: values['count-edits'],
      maxExamples,
      words: values.words === 'all' ? 'all' : 'accepted',
    });
    if (report.shadows.length === 0) {
      io.err(
        `These runs have no verdict of ${values.guard === undefined ? 'a shadow guard' : `shadow guard "${values.guard}"`}.\n`,
      );
      return 2;
    }
    if (values.against !== undefined && report.shadows.every(({ compared }) => compared === 0)) {
      io.err(
        `Guard "${values.against}" has no verdict to compare; use the id of a guard that ran in the same step as the shadow guard.\n`,
      );
      return 2;
    }
    print(io, report, values.json);
    return unread > 0 ? 2 : 0;
  },
};

const wordChoices = { accepted: true, all: true };

const options = {
  guard: { type: 'string' },
  against: { type: 'string' },
  'count-edits': { type: 'boolean' },
  examples: { type: 'string' },
  words: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const print = ({ out }: CommandIo, report: ShadowReport, asJson = false): void =>
  out(asJson ? `${JSON.stringify(report)}\n` : `${report.shadows.flatMap(linesOf).join('\n')}\n`);

const linesOf = (one: ShadowComparison): string[] => {
  const { processorId, against, lane, compared, agreement, both, onlyShadow, onlyIncumbent, neither, latencyMs } = one;
  const incumbent = against ?? `the ${lane} lane`;
  const table = columns([
    ['', `${incumbent} objects`, 'does not object'],
    [`${processorId} objects`, String(both), String(onlyShadow)],
    ['does not object', String(onlyIncumbent), String(neither)],
  ]);
  const times = [latencyLine(processorId, latencyMs.shadow), latencyMs.incumbent && latencyLine(incumbent, latencyMs.incumbent)];
  return [
    `${processorId} (shadow) compared with ${incumbent}: ${compared} verdicts, ${percent(agreement)} agree`,
    '',
    ...table,
    '',
    ...times.filter((line) => line !== undefined),
    ...notes(one),
    ...one.examples.map((example) => exampleLine(example)),
    '',
  ];
};

const latencyLine = (id: string, { p50, p95 }: ShadowComparison['latencyMs']['shadow']): string =>
  `${id}: p50 ${milliseconds(p50)}, p95 ${milliseconds(p95)}`;

const notes = (one: ShadowComparison): string[] => {
  const incumbent = one.against ?? 'the array';
  const edits = one.verdicts.some(({ shadow: kind, incumbent: other }) => kind === 'edit' || other === 'edit');
  return [
    ...(one.shadowUnavailable > 0 ? [`${one.shadowUnavailable} times the shadow guard was unavailable`] : []),
    ...(one.incumbentUnavailable > 0 ? [`${one.incumbentUnavailable} times ${incumbent} was unavailable`] : []),
    ...(one.incumbentNotCalled > 0 ? [`${one.incumbentNotCalled} times ${incumbent} did not run`] : []),
    ...(one.shadowNotCalled > 0
      ? [
          `${one.shadowNotCalled} times ${incumbent} objected and the shadow guard did not run: it comes later, or was not sampled`,
        ]
      : []),
    ...(edits ? ['some verdicts are edits; use --count-edits to count them as objections'] : []),
  ];
};

const exampleLine = ({ agreement, runId, stepNumber, attempt, shadow: own, incumbent, words }: ShadowExample): string => {
  const verdictText = ({ verdict, reason }: ShadowExample['shadow']): string => [verdict, reason].filter(Boolean).join(': ');
  const subject = agreement === 'onlyShadow' ? 'only the shadow guard objects' : 'only the active guard objects';
  const excerpt = words === undefined ? 'text not shown' : JSON.stringify(words);
  return `  ${subject}  ${runId}, step ${stepNumber}, attempt ${attempt}: ${verdictText(own)} / ${verdictText(incumbent)}  ${excerpt}`;
};

/** A share as a percentage. */
const percent = (share: number | undefined): string => (share === undefined ? 'n/a' : `${(share * 100).toFixed(1)} %`);
