import { machineNow } from './machine.js';
import { sites } from '../../test/engines/sites.js';
import { brief, number, type FigureTable } from '../table.js';
import { startChild } from './child.js';
import { places, type Subject, type SubjectName } from './engines.js';
import type { QueueFigures, QueueOrders } from './queue-process.js';

/** The measurements of queued runs. */
export interface QueueRun {
  readonly machine: string;
  readonly date: string;
  readonly engines: readonly (QueueFigures & { readonly name: SubjectName })[];
}

export interface MeasuredQueue {
  readonly names: readonly SubjectName[];
  readonly runs: number;
  readonly concurrency: number;
  onProgress(line: string): void;
}

const figuresOf = async (subject: Subject, { runs, concurrency }: MeasuredQueue): Promise<QueueFigures> => {
  const orders: QueueOrders = { subject, runs, concurrency };
  return JSON.parse(await startChild('queue-process.ts', orders).line) as QueueFigures;
};

/** Starts all runs of an engine at once, each engine in a separate process. */
export const measureQueue = async (measured: MeasuredQueue): Promise<QueueRun> => {
  const about = machineNow();
  const engines: QueueRun['engines'][number][] = [];
  for (const name of measured.names) {
    measured.onProgress(`${name}, queued`);
    const place = places[name];
    const site = place && (await sites[place]());
    const subject = { name, spec: site?.specFor('tests'), isEncrypted: name.endsWith('encrypted') };
    try {
      engines.push({ name, ...(await figuresOf(subject, measured)) });
    } finally {
      await site?.close();
    }
  }
  return { ...about, engines };
};

const mib = (bytes: number): string => number(bytes / 2 ** 20, 0);

export const queueTable = ({ engines }: QueueRun): FigureTable => ({
  id: 'durable-queue',
  head: [
    'queued runs',
    'runs',
    'seconds until all have ended',
    'wait, p50 s',
    'wait, p99 s',
    'CPU ms a run',
    'largest RSS, MiB',
    'grown by',
    'rows a run',
    'KiB a run',
  ],
  rows: engines.map(({ name, runs, drainSeconds, waitMs, cpuMsPerRun, rss, rowsPerRun, bytesPerRun }) => [
    name,
    runs.toLocaleString('en'),
    brief(drainSeconds),
    brief(waitMs.p50 / 1_000),
    brief(waitMs.p99 / 1_000),
    brief(cpuMsPerRun),
    mib(rss.most),
    mib(rss.growth),
    number(rowsPerRun, 0),
    bytesPerRun === undefined ? '' : brief(bytesPerRun / 1_024),
  ]),
});
