import { readFile, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  brokenBounds,
  evaluate,
  evaluationPage,
  parseBound,
  parseSamples,
  type BrokenBound,
  type Evaluation,
  type Measures,
} from '../src/eval/index.js';
import { measureRows } from '../src/eval/measure-rows.js';
import { columns } from './columns.js';
import type { Command, CommandIo } from './command.js';
import { loadGuards } from './load-guards.js';
import { createProgress } from './progress.js';

/** Says how good guards are on labelled samples. */
export const evalCommand: Command = {
  name: 'eval',
  summary: 'Says how good guards are on a labelled data set, and keeps bounds.',
  usage: `mastra-interlock eval --pipeline FILE --data SET.jsonl [--min METRIC=N]... [--max METRIC=N]...

FILE is a module whose default export, or export of the name "agent", "pipeline" or "guards", is an InterlockAgent, a pipeline, or an
object with inputProcessors, outputProcessors and errorProcessors. Each line of the data set is a JSON object with a label, true where
guards are to object, and one of:
  "text"      what the caller says, or with "as": "answer" the model
  "chunks"    what the model says, in the pieces in which it comes
  "payload"   the payload of a phase

  --min, --max <metric>=<n>  A bound; any number of them. Metrics: precision,
                     recall, f1, auc, recallAt1PercentFpr, falsePositiveRate,
                     unavailable, calls, p50Ms, p95Ms. Unless told otherwise,
                     unavailable is at most 0.
  --count-edits      An edit is an objection too, as for guards that redact.
  --score <path>     Where the metadata of a verdict has its score. Default score.
  --threshold <n>    Objects to what has at least this score, in place of what
                     the guards decide.
  --concurrency <n>  Samples at a time. Default 1.
  --json <file>      Writes the evaluation as JSON.
  --html <file>      Writes it as a page, with the curve and what was misjudged.

Exit code: 0, 1 where a bound is not kept, 2 where something could not be read.`,
  run: async (args, io) => {
    const { values } = parseArgs({ args: [...args], options });
    const concurrency = Number(values.concurrency ?? 1);
    const threshold = values.threshold === undefined ? undefined : Number(values.threshold);
    const isUsable = Number.isInteger(concurrency) && concurrency >= 1 && !Number.isNaN(threshold);
    if (values.pipeline === undefined || values.data === undefined || !isUsable) {
      io.err(`${evalCommand.usage}\n`);
      return 2;
    }
    const bounds = [
      ...(values.min ?? []).map((text) => parseBound('min', text)),
      ...(values.max ?? []).map((text) => parseBound('max', text)),
    ];
    const samples = parseSamples(await readFile(resolve(io.cwd, values.data), 'utf8'), values.data);
    const guards = await loadGuards(resolve(io.cwd, values.pipeline));
    const progress = createProgress(io);
    const evaluation = await evaluate(guards, samples, {
      countEdits: values['count-edits'],
      score: values.score,
      ...(threshold !== undefined && { threshold }),
      concurrency,
      onProgress: progress.show,
    }).finally(progress.end);
    const broken = brokenBounds(evaluation.together, bounds);
    if (values.json !== undefined)
      await writeFile(resolve(io.cwd, values.json), `${JSON.stringify({ ...evaluation, broken }, undefined, 2)}\n`);
    const title = `${basename(values.pipeline)} on ${basename(values.data)}`;
    if (values.html !== undefined) await writeFile(resolve(io.cwd, values.html), evaluationPage(evaluation, { title, samples }));
    tell(io, evaluation, broken);
    return broken.length > 0 ? 1 : 0;
  },
};

const options = {
  pipeline: { type: 'string' },
  data: { type: 'string' },
  min: { type: 'string', multiple: true },
  max: { type: 'string', multiple: true },
  'count-edits': { type: 'boolean' },
  score: { type: 'string' },
  threshold: { type: 'string' },
  concurrency: { type: 'string' },
  json: { type: 'string' },
  html: { type: 'string' },
} as const;

const tell = ({ out }: CommandIo, { together, guards, samples, objecting }: Evaluation, broken: readonly BrokenBound[]): void => {
  const all: [string, Measures][] = [['all guards', together], ...Object.entries(guards)];
  const lines = [
    `${samples.length} samples, ${samples.filter(({ label }) => label).length} of them to be objected to`,
    '',
    ...columns([
      ['', ...all.map(([name]) => name)],
      ...measureRows.map(({ name, show }) => [name, ...all.map(([, one]) => show(one))]),
    ]),
    '',
    ...(together.auc === undefined
      ? [`no AUC: ${together.scored} of ${samples.length - together.unavailable} verdicts carry a score`]
      : []),
    ...(together.edited > 0 && !objecting.countEdits
      ? [`${together.edited} were edited, which is no objection without --count-edits`]
      : []),
    ...broken.map(
      ({ side, metric, value, actual }) =>
        `not kept: ${metric} is ${actual ?? 'n/a'}, ${side === 'min' ? 'at least' : 'at most'} ${value}`,
    ),
  ];
  out(`${lines.join('\n').trimEnd()}\n`);
};
