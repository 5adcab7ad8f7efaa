import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  brokenBounds,
  evaluate,
  evaluationPage,
  parseBound,
  parseSamples,
  type Evaluation,
  type Measures,
} from '../src/eval/index.js';
import { measureRows } from '../src/eval/measure.js';
import { columns, misused, readText, type Command, type CommandIo } from './command.js';
import { loadGuards } from './inputs.js';

/** Measures guards on labeled samples. */
export const evalCommand: Command = {
  name: 'eval',
  summary: 'Measures guards on a labeled data set, and checks bounds.',
  usage: `mastra-interlock eval --pipeline FILE --data SET.jsonl [--min METRIC=N]... [--max METRIC=N]...

FILE is a module that exports an InterlockAgent, a pipeline, a guard, or an object with inputProcessors, outputProcessors and errorProcessors,
as its default or as "agent", "pipeline" or "guards". Each line of the data set is a JSON object with a "label" (true if the guards should
object) and one of:
  "text"      the user message, or with "as": "answer" the response
  "chunks"    the response as a list of chunks
  "payload"   the payload of a phase

  --min, --max <metric>=<n>  A bound; repeatable. Metrics: precision,
                     recall, f1, auc, recallAt1PercentFpr, falsePositiveRate,
                     unavailable, calls, p50Ms, p95Ms. The first six are shares
                     from 0 to 1. Default: --max unavailable=0.
  --count-edits      Counts edits as objections, for guards that redact.
  --score <path>     The path of the score in the metadata of a verdict. Default score.
  --threshold <n>    Objects if the score is at least this, instead of using
                     the verdict.
  --concurrency <n>  Samples evaluated in parallel. Default 1.
  --json <file>      Writes the evaluation as JSON.
  --html <file>      Writes the evaluation as an HTML page, with the curve and
                     the misjudged samples.

Exit code: 0, 1 if a bound is not met, 2 if a file could not be read.`,
  run: async (args, io) => {
    const { values } = parseArgs({ args: [...args], options });
    const concurrency = Number(values.concurrency ?? 1);
    const threshold = values.threshold === undefined ? undefined : Number(values.threshold);
    if (values.pipeline === undefined) return misused(io, evalCommand, '--pipeline is missing.');
    if (values.data === undefined) return misused(io, evalCommand, '--data is missing.');
    if (!Number.isInteger(concurrency) || concurrency < 1)
      return misused(io, evalCommand, '--concurrency must be an integer of 1 or more.');
    if (Number.isNaN(threshold)) return misused(io, evalCommand, '--threshold must be a number.');
    const bounds = (['min', 'max'] as const).flatMap((side) => (values[side] ?? []).map((text) => parseBound(side, text)));
    const samples = parseSamples(await readText(io, values.data), values.data);
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
    print(io, evaluation, broken); // before the files are written, which may fail
    const title = `${basename(values.pipeline)} on ${basename(values.data)}`;
    await write(io, values.json, () => `${JSON.stringify({ ...evaluation, broken }, undefined, 2)}\n`);
    await write(io, values.html, () => evaluationPage(evaluation, { title, samples }));
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

/** Writes a file and creates its folders. */
const write = async ({ cwd }: CommandIo, name: string | undefined, text: () => string): Promise<void> => {
  if (name === undefined) return;
  const path = resolve(cwd, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text());
};

const print = (
  { out }: CommandIo,
  { together, guards, samples, objecting }: Evaluation,
  broken: ReturnType<typeof brokenBounds>,
): void => {
  const all: [string, Measures][] = [['all guards', together], ...Object.entries(guards)];
  const lines = [
    `${samples.length} samples, ${samples.filter(({ label }) => label).length} with label true`,
    '',
    ...columns([
      ['', ...all.map(([name]) => name)],
      ...measureRows.map(({ name, show }) => [name, ...all.map(([, one]) => show(one))]),
    ]),
    '',
    ...(together.auc === undefined
      ? [`no AUC: ${together.scored} of ${samples.length - together.unavailable} verdicts have a score`]
      : []),
    ...(together.edited > 0 && !objecting.countEdits
      ? [`${together.edited} edited; edits count as objections only with --count-edits`]
      : []),
    ...withoutVerdict(samples),
    ...broken.map(
      ({ side, metric, value, actual }) =>
        `bound not met: ${metric} is ${actual === undefined ? 'n/a' : Number(actual.toFixed(4))}, expected ${side === 'min' ? 'at least' : 'at most'} ${value}`,
    ),
  ];
  out(`${lines.join('\n').trimEnd()}\n`);
};

const maxPrinted = 3;

/** Samples without a verdict, with the reason. Only the first are listed: a guard that is down repeats one reason. */
const withoutVerdict = (samples: Evaluation['samples']): string[] => {
  const all = samples.filter(({ why }) => why !== undefined);
  const more = all.length > maxPrinted ? [`no verdict: ${all.length - maxPrinted} more`] : [];
  return [...all.slice(0, maxPrinted).map(({ location: path, why }) => `no verdict: ${path}: ${why}`), ...more];
};

const width = 30;

/** A progress bar on one line of the terminal; undefined without a terminal. */
const createProgress = ({ err, isTerminal = false }: CommandIo) => {
  if (!isTerminal) return { show: () => undefined, end: () => undefined };
  let printed = '';
  return {
    show: (done: number, all: number) => {
      const filled = Math.round((done / all) * width);
      const line = `\r${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done}/${all}`;
      if (line !== printed) err(line);
      printed = line;
    },
    /** Removes the bar from the line. */
    end: () => err(`\r${' '.repeat(printed.length)}\r`),
  };
};
