import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { goalLine } from '../goals.js';
import { tableOf } from '../table.js';
import { allNames, atHand, type SubjectName } from './engines.js';
import { measureDurable } from './measure.js';
import { writeGuide, writeQueue, writeTable } from './page.js';
import { measureQueue, queueTable } from './queue.js';
import type { DurableRun } from './run.js';
import { scaleTable } from './scale.js';
import { durableTables } from './tables.js';
import { measureToolSteps, toolStepsTable } from './tool-steps.js';

/** The number of queued runs in progress. */
const concurrency = 16;

const help = `npm run bench:durable -- [--engines <names>|all] [--quick] [--json <file>] [--write] [--from <file>]

  --engines  ${allNames.join(', ')}; several with commas between. Default: those without a server.
             Restate's server is installed with test/engines, as for npm run test:engines; dbos needs PostgreSQL's programs
  --quick    with few runs and one kill: for a look, not for figures to quote
  --queue    only starts so many runs at once, ${concurrency} of them in progress at a time, and measures until all have ended;
             checks that each ended once
  --tools    only measures runs of 10, 30 and 100 tool calls next to the bare engine, and the data of 1,000
  --scale    only simulates 10 and 10,000 runs a second on shards of each engine; measures nothing
  --json     writes everything that was measured to a file
  --write    writes the tables of docs/durable-cost.md
  --from     reports such a file without measuring`;

const { values } = parseArgs({
  options: {
    engines: { type: 'string' },
    quick: { type: 'boolean', default: false },
    queue: { type: 'string' },
    tools: { type: 'boolean', default: false },
    scale: { type: 'boolean', default: false },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
    from: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const readNames = (names: string | undefined): readonly SubjectName[] => {
  if (names === undefined) return atHand;
  if (names === 'all') return allNames;
  const selectedNames = names.split(/,\s*/);
  const unknown = selectedNames.find((name) => !(allNames as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`There is no engine "${unknown}": ${allNames.join(', ')}.`);
  return selectedNames as readonly SubjectName[]; // each name is one of them
};

/** As before the tests of engines: installs only missing ones. */
const setUpEngines = (): void => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const { status } = spawnSync(process.execPath, ['scripts/setup.mjs', 'test/engines'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('What test/engines needs could not be installed.');
};

const progress = (line: string): void => void (process.stderr.isTTY && process.stderr.write(`\r\x1b[K${line}`));

const namesToMeasure = (): readonly SubjectName[] => {
  const names = readNames(values.engines);
  if (names.includes('restate')) setUpEngines();
  return names;
};

const queue = async (runs: number): Promise<void> => {
  const run = await measureQueue({ names: namesToMeasure(), runs, concurrency, onProgress: progress });
  progress('');
  const { head, rows } = queueTable(run);
  console.log(`Queued runs, on ${run.machine}.\n\n${tableOf(head, rows)}`);
  if (values.json) writeFileSync(values.json, JSON.stringify(run, undefined, 2));
  if (values.write) writeQueue(run);
};

const toolSteps = async (): Promise<void> => {
  const run = await measureToolSteps({ names: namesToMeasure(), onProgress: progress });
  progress('');
  const table = toolStepsTable(run);
  console.log(`Tool steps, on ${run.machine}.\n\n${tableOf(table.head, table.rows)}`);
  if (values.write) writeTable(table);
  if (values.json) writeFileSync(values.json, JSON.stringify(run, undefined, 2));
};

const measure = async (): Promise<DurableRun> => {
  const names = namesToMeasure();
  return measureDurable({ names, isQuick: values.quick, onProgress: progress });
};

const scale = (): void => {
  const table = scaleTable();
  console.log(tableOf(table.head, table.rows));
  if (values.write) writeTable(table);
};

if (values.help) console.log(help);
else if (values.scale) scale();
else if (values.tools) await toolSteps();
else if (values.queue !== undefined) await queue(Number(values.queue));
else {
  const run = values.from === undefined ? await measure() : (JSON.parse(readFileSync(values.from, 'utf8')) as DurableRun);
  progress('');
  console.log(`Cost of persisting a run, on ${run.machine}; ${Math.round(run.seconds)} s in all.\n`);
  for (const { head, rows } of durableTables(run)) console.log(`${tableOf(head, rows)}\n`);
  console.log(run.goals.map(goalLine).join('\n'));
  if (values.json) writeFileSync(values.json, JSON.stringify(run, undefined, 2));
  if (values.write) writeGuide(run);
}
