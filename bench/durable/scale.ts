import { createRandom } from '../../src/testing/cuts.js';
import type { FigureTable } from '../table.js';

/** A part of a shard that serves one visit at a time with each of its servers. */
interface Part {
  readonly name: string;
  readonly servers: number;
  /** Milliseconds of one visit. */
  readonly visitMs: number;
}

/** A shard of an engine, and the visits of a short answer, in each of its steps. */
interface Shard {
  readonly engine: string;
  readonly parts: readonly Part[];
  /** CPU milliseconds of a run in the processes. */
  readonly cpuMs: number;
}

const steps = 8;
const cores = 8;

/** The capacities that were not measured: commits a second of a database, and entries a second of a Restate server. */
const assumed = { commits: 5_000, entries: 10_000 };

/** Visits a step: DBOS commits the result and the published entries; Restate logs the step, its result, and a call to the board. */
const visits = { commits: 3, entries: 5 };

/** CPU and the time of a file's writer are measured: the tables of the page. Processes of server engines are on machines of their own. */
const shards: readonly Shard[] = [
  {
    engine: 'openworkflow',
    cpuMs: 27.9,
    parts: [
      { name: `the ${cores} cores of the machine`, servers: cores, visitMs: 27.9 / steps },
      { name: 'the writer of the file', servers: 1, visitMs: 2 },
    ],
  },
  {
    engine: 'dbos',
    cpuMs: 48.7,
    parts: [{ name: 'commits of the database', servers: 1, visitMs: (visits.commits * 1_000) / assumed.commits }],
  },
  {
    engine: 'restate',
    cpuMs: 69.6,
    parts: [{ name: 'log of the server', servers: 1, visitMs: (visits.entries * 1_000) / assumed.entries }],
  },
];

/** The number of runs in a simulation. */
const simulatedRuns = 4_000;

interface Visit {
  readonly at: number;
  readonly run: number;
  readonly visit: number;
}

/** Adds a visit to a list that begins with the latest. */
const insert = (queue: Visit[], visit: Visit): void => {
  let [low, high] = [0, queue.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((queue[middle]?.at ?? Infinity) > visit.at) low = middle + 1;
    else high = middle;
  }
  queue.splice(low, 0, visit);
};

/** Simulates runs that arrive at random; returns the 99th percentile of the milliseconds for which a run waits for the parts. */
const waitAt = (parts: readonly Part[], runsPerSecond: number): number => {
  const random = createRandom(1);
  const free = parts.map(({ servers }) => Array.from({ length: servers }, () => 0));
  const waits = Array.from({ length: simulatedRuns }, () => 0);
  const queue: Visit[] = []; // the latest first
  let arrival = 0;
  for (let run = 0; run < simulatedRuns; run += 1) {
    arrival -= (Math.log(1 - random()) * 1_000) / runsPerSecond;
    insert(queue, { at: arrival, run, visit: 0 });
  }
  for (let next = queue.pop(); next; next = queue.pop()) {
    const { at, run, visit } = next;
    const index = visit % parts.length;
    const [part, servers] = [parts[index], free[index]];
    if (!part || !servers) continue;
    const server = servers.indexOf(Math.min(...servers));
    const start = Math.max(at, servers[server] ?? 0);
    servers[server] = start + part.visitMs;
    waits[run] = (waits[run] ?? 0) + start - at;
    if (visit + 1 < steps * parts.length) insert(queue, { at: start + part.visitMs, run, visit: visit + 1 });
  }
  return waits.toSorted((one, other) => one - other)[Math.floor(simulatedRuns * 0.99)] ?? 0;
};

const busyAt = ({ servers, visitMs }: Part, runsPerSecond: number): number =>
  (runsPerSecond * steps * visitMs) / (servers * 1_000);

/** The part that saturates first, and the rate at which it does. */
const limitOf = ({ parts }: Shard): { readonly part: Part; readonly rate: number } => {
  const [part] = parts.toSorted((one, other) => busyAt(other, 1) - busyAt(one, 1));
  if (!part) throw new Error('A shard has parts.');
  return { part, rate: 1 / busyAt(part, 1) };
};

/** The share of its capacity at which a part is planned. */
const planned = 0.7;

const whole = (value: number): string => Math.ceil(value).toLocaleString('en');
const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

/** The load of short answers: one shard at 10 runs a second, and the shards for 10,000. */
export const scaleTable = (): FigureTable => ({
  id: 'durable-scale',
  head: [
    'a short answer',
    'saturates first',
    'at 10 a second, busy',
    'one shard saturates at, a second',
    `p99 of the wait at ${planned * 100} %, ms`,
    'at 95 %, ms',
    `shards for 10,000 a second at ${planned * 100} %`,
    'cores of processes',
  ],
  rows: shards.map((shard) => {
    const { part, rate } = limitOf(shard);
    return [
      shard.engine,
      part.name,
      percent(busyAt(part, 10)),
      whole(rate),
      whole(waitAt(shard.parts, rate * planned)),
      whole(waitAt(shard.parts, rate * 0.95)),
      whole(10_000 / (rate * planned)),
      whole((10_000 * shard.cpuMs) / 1_000 / planned),
    ];
  }),
});
