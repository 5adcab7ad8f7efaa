import { parseArgs } from 'node:util';

import { judge } from './judge.js';
import { soak, type Window } from './soak.js';

/** `npm run soak -- --runs 100000 --seed 1 --at-once 50 --window 5000`: prints the remains of every window, and judges. */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'at-once': { type: 'string', default: '50' },
    window: { type: 'string', default: '5000' },
  },
});

const [runs, seed, atOnce, window] = [values.runs, values.seed, values['at-once'], values.window].map(Number) as [
  number,
  number,
  number,
  number,
];

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const megabytes = (bytes = 0): string => `${(bytes / 1e6).toFixed(1)} MB`;
const line = ({ runs: done, heapBytes, timers, listeners, seconds }: Window): string =>
  `${done} runs  ${seconds.toFixed(0)} s  heap ${megabytes(heapBytes)}  timers ${timers}  listeners ${listeners}`;

print(`soak: ${runs} runs, ${atOnce} at once, seed ${seed}`);
const soaked = await soak({ runs, seed, atOnce, window, onWindow: (state) => print(line(state)) });
const faults = judge(soaked);
const ends = Object.entries(soaked.statuses).toSorted(([a], [b]) => (a < b ? -1 : 1));
print(`ends: ${ends.map(([status, count]) => `${status} ${count}`).join(', ')}`);
print(
  `complaints ${soaked.complaints.length}, unhandled rejections ${soaked.unhandled.length}, warnings ${soaked.warnings.length}`,
);
for (const fault of faults) print(`FAULT ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
