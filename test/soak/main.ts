import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { memoryEngine } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import { judge } from './judge.js';
import { soak, type Window } from './soak.js';

/**
 * `npm run soak -- --runs 100000 --seed 1 --at-once 50 --window 5000`: prints the remains of every window, and judges. With
 * `--engine memory` or `--engine openworkflow` the runs are durable, and are pruned after every window.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'at-once': { type: 'string', default: '50' },
    window: { type: 'string', default: '5000' },
    engine: { type: 'string' },
  },
});

const [runs, seed, atOnce, window] = [values.runs, values.seed, values['at-once'], values.window].map(Number) as [
  number,
  number,
  number,
  number,
];

const folder = await mkdtemp(join(tmpdir(), 'interlock-soak-'));
const engines: Readonly<Record<string, () => Engine>> = {
  memory: memoryEngine,
  openworkflow: () => openWorkflow({ path: join(folder, 'runs.db'), concurrency: atOnce }),
};
const engine = values.engine === undefined ? undefined : engines[values.engine]?.();
if (values.engine !== undefined && !engine) throw new Error(`--engine is one of ${Object.keys(engines).join(', ')}.`);

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const megabytes = (bytes = 0): string => `${(bytes / 1e6).toFixed(1)} MB`;
const line = ({ runs: done, heapBytes, timers, listeners, storedRuns, seconds }: Window): string =>
  `${done} runs  ${seconds.toFixed(0)} s  heap ${megabytes(heapBytes)}  timers ${timers}  listeners ${listeners}  stored runs ${storedRuns}`;

print(`soak: ${runs} runs, ${atOnce} at once, seed ${seed}`);
const soaked = await soak({ runs, seed, atOnce, window, engine, onWindow: (state) => print(line(state)) });
await engine?.close();
await rm(folder, { recursive: true, force: true });
const faults = judge(soaked);
const ends = Object.entries(soaked.statuses).toSorted(([a], [b]) => (a < b ? -1 : 1));
print(`ends: ${ends.map(([status, count]) => `${status} ${count}`).join(', ')}`);
print(
  `complaints ${soaked.complaints.length}, unhandled rejections ${soaked.unhandled.length}, warnings ${soaked.warnings.length}`,
);
for (const fault of faults) print(`FAULT ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
