import { sites, type Site } from '../../test/engines/sites.js';
import type { AttachOrders, Attaches } from './attach-process.js';
import { startChild } from './child.js';
import type { CostOrders, CostsFound } from './cost-process.js';
import { places, type Subject, type SubjectName } from './engines.js';
import { machineNow } from './machine.js';
import { persistedSizeOf, stepsOfChunks } from './persisted-size.js';
import { restartsOf } from './restart.js';
import type { DurableRun, EngineFigures } from './run.js';
import { seamUs } from './seam.js';
import { answers, errand } from './works.js';

export interface Measured {
  readonly names: readonly SubjectName[];
  readonly isQuick: boolean;
  onProgress(line: string): void;
}

const [shortest, ...longer] = answers;

const works = [...answers, errand];

const runs = 40;
const quickRuns = 5;

const kills = 5;

interface Measuring extends Measured {
  readonly name: SubjectName;
  readonly emptySteps: readonly number[];
}

const costsOf = async (subject: Subject, { emptySteps, isQuick }: Measuring): Promise<CostsFound> => {
  const orders: CostOrders = {
    subject,
    baselines: [...(shortest ? [shortest] : []), errand],
    emptySteps,
    alone: longer,
    runs: isQuick ? quickRuns : runs,
  };
  return JSON.parse(await startChild('cost-process.ts', orders).line) as CostsFound;
};

/** Words of an answer that clients attach to: a chunk each. */
const words = 3_000;

const attachesOf = async (subject: Subject): Promise<Attaches> => {
  const orders: AttachOrders = { subject, words, times: kills };
  return JSON.parse(await startChild('attach-process.ts', orders).line) as Attaches;
};

const figuresOf = async (measuring: Measuring): Promise<EngineFigures> => {
  const { name, onProgress, isQuick } = measuring;
  const place = places[name];
  if (!place) return { name, costs: await costsOf({ name }, measuring) };
  const site = await sites[place]();
  try {
    const isEncrypted = name.endsWith('encrypted');
    const subjectIn = (process: Parameters<Site['specFor']>[0]): Subject => ({ name, spec: site.specFor(process), isEncrypted });
    const costs = await costsOf(subjectIn('tests'), measuring);
    onProgress(`${name}, attached to`);
    const attaches = await attachesOf(subjectIn('tests'));
    onProgress(`${name}, killed`);
    return { name, costs, attaches, restarts: await restartsOf(subjectIn('first'), subjectIn('second'), isQuick ? 1 : kills) };
  } finally {
    await site.close();
  }
};

/** Measures the engines, one after the other, each in separate processes. */
export const measureDurable = async (engineNames: Measured): Promise<DurableRun> => {
  const startedAt = performance.now();
  const about = machineNow();
  const persisted = Object.fromEntries(
    await Promise.all(works.map(async (work) => [work.name, await persistedSizeOf(work)] as const)),
  );
  const emptySteps = [...new Set(Object.values(persisted).map(({ steps }) => steps))];
  const goals = [
    { label: 'in process: a step more for the seam of engines', measured: await seamUs(), atMost: 20, unit: 'us' },
    { label: 'steps more for 10,000 chunks than for 10', measured: await stepsOfChunks(), atMost: 0, unit: 'steps' },
  ];
  const engines: EngineFigures[] = [];
  for (const name of engineNames.names) {
    engineNames.onProgress(name);
    engines.push(await figuresOf({ ...engineNames, name, emptySteps }));
  }
  return {
    ...about,
    isQuick: engineNames.isQuick,
    seconds: (performance.now() - startedAt) / 1_000,
    kept: persisted,
    engines,
    goals,
  };
};
