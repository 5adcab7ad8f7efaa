import { sites } from '../../test/engines/sites.js';
import { brief, number, type FigureTable } from '../table.js';
import { startChild } from './child.js';
import type { CostOrders, CostsFound } from './cost-process.js';
import { places, type Subject, type SubjectName } from './engines.js';
import { machineNow } from './machine.js';
import { persistedSizeOf } from './persisted-size.js';
import type { Work } from './works.js';

/** The cost of runs with many tool calls. */
interface ToolStepsRun {
  readonly machine: string;
  readonly date: string;
  readonly engines: readonly ({ readonly name: SubjectName } & CostsFound)[];
  /** The steps that an engine stores for a work. */
  readonly steps: Readonly<Record<string, number>>;
}

interface MeasuredToolSteps {
  readonly names: readonly SubjectName[];
  onProgress(line: string): void;
}

const workOf = (toolCalls: number): Work => ({ name: `${toolCalls.toLocaleString('en')} tool steps`, messages: 2, toolCalls });
const compared = [10, 30, 100].map(workOf);
const longest = workOf(1_000);
const runs = 20;

/** Measures each engine next to its own empty runs of as many steps, in one process. */
export const measureToolSteps = async ({ names, onProgress }: MeasuredToolSteps): Promise<ToolStepsRun> => {
  const about = machineNow();
  const steps = Object.fromEntries(
    await Promise.all(compared.map(async (work) => [work.name, (await persistedSizeOf(work)).steps] as const)),
  );
  const engines: ToolStepsRun['engines'][number][] = [];
  for (const name of names) {
    onProgress(`${name}, tool steps`);
    const place = places[name];
    const site = place && (await sites[place]());
    const subject: Subject = { name, spec: site?.specFor('tests'), isEncrypted: name.endsWith('encrypted') };
    const orders: CostOrders = {
      subject,
      baselines: compared,
      emptySteps: Object.values(steps),
      alone: [],
      sized: [longest],
      runs,
    };
    try {
      engines.push({ name, ...(JSON.parse(await startChild('cost-process.ts', orders).line) as CostsFound) });
    } finally {
      await site?.close();
    }
  }
  return { ...about, engines, steps };
};

const kib = (bytes: number | undefined, { toolCalls }: Work): string =>
  bytes === undefined ? '' : brief(bytes / 1_024 / toolCalls);

export const toolStepsTable = ({ engines, steps }: ToolStepsRun): FigureTable => ({
  id: 'durable-tools',
  head: [
    'a tool step',
    ...compared.flatMap(({ name }) => [`${name}: CPU ms`, '× the bare engine']),
    ...[...compared, longest].map(({ name }) => `${name}: KiB stored`),
  ],
  rows: engines.map(({ name, works, empty }) => [
    name,
    ...compared.flatMap((work) => {
      const [own, bare] = [works[work.name]?.cost?.cpuMs, empty[steps[work.name] ?? 0]?.cpuMs];
      return [own === undefined ? '' : brief(own / work.toolCalls), own && bare ? number(own / bare, 1) : ''];
    }),
    ...[...compared, longest].map((work) => kib(works[work.name]?.storedBytes, work)),
  ]),
});
