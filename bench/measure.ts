import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { BenchCase, Series, WarmCase } from './case.js';

/** How much is measured of each group. */
export interface Effort {
  /** CPU time of a group's rounds that do not count, in which the compiler works; six times as much for the steps, whose loop needs it. */
  readonly warmUpMs: number;
  /** The most rounds of a group; fewer if they take too long. */
  readonly rounds: number;
  /** The time after which a group gets no further round, if it has had `leastRounds`. */
  readonly groupMs: number;
  /** Rounds of groups whose cases take their figures themselves. */
  readonly takenRounds: number;
  /** CPU time of one row in one round; at least one run. */
  readonly sampleMs: number;
  /** Measures only the size of the ratios, which is the default of all sizes. */
  readonly isQuick: boolean;
}

export const quickEffort: Effort = { warmUpMs: 3_000, rounds: 45, groupMs: 15_000, takenRounds: 3, sampleMs: 15, isQuick: true };
export const fullEffort: Effort = { warmUpMs: 10_000, rounds: 45, groupMs: 60_000, takenRounds: 5, sampleMs: 20, isQuick: false };

/** Three in each third, which the spread compares. */
const leastRounds = 9;

/** The size of a group that its ratios are for, and the only size of `--quick`. Other groups have one size. */
export const ratioSizes: Readonly<Record<string, number>> = {
  chunk: 2_000,
  step: 10,
  'streamed steps': 10,
  history: 1_000,
  results: 50,
  rows: 20_000,
  run: 100,
};

/** The part of a case's name before the subject. */
export const groupOf = ({ name }: { readonly name: string }): string => name.split(':')[0] ?? '';

export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** The cost of loading a module in a fresh process: CPU time and resident memory. No package is loaded before. */
export const importCost = async (specifier: string): Promise<Record<string, number>> => {
  const [cpu, bytes] = [cpuMs(), process.memoryUsage().rss];
  await import(specifier);
  return { 'CPU ms': cpuMs() - cpu, MB: (process.memoryUsage().rss - bytes) / 1e6 };
};

/** One short measurement of a case at a size; its values by unit. */
interface Probe {
  readonly name: string;
  readonly size: number;
  readonly take: () => Promise<Readonly<Record<string, number>>>;
}

const warmProbes = async ({ name, sizes, units, load }: WarmCase, { isQuick, sampleMs }: Effort): Promise<Probe[]> => {
  const prepare = await load();
  const only = ratioSizes[groupOf({ name })];
  return sizes
    .filter((size) => !isQuick || only === undefined || size === only)
    .map((size) => {
      const work = prepare(size);
      const expected = units(size);
      const take = async () => {
        const from = cpuMs();
        let runs = 0;
        do {
          const done = await work();
          if (done !== expected) throw new Error(`${name}: expected ${expected} units, saw ${done}.`);
          runs += 1;
        } while (cpuMs() - from < sampleMs);
        return { us: ((cpuMs() - from) * 1_000) / runs / expected };
      };
      return { name, size, take };
    });
};

/** Runs the program of the bench again, for one case. */
const inFreshProcess = async (name: string): Promise<Record<string, number>> => {
  const args = [...process.execArgv, process.argv[1] ?? '', '--fresh', name];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 24 });
  return JSON.parse(stdout) as Record<string, number>;
};

const probesOf = async (one: BenchCase, effort: Effort): Promise<Probe[]> => {
  if ('load' in one) return warmProbes(one, effort);
  return [{ name: one.name, size: 0, take: 'take' in one ? one.take : () => inFreshProcess(one.name) }];
};

/**
 * Measures the cases of a group in turns: each round takes one short measurement of each, every other round in reverse order, so that a
 * disturbance of the machine meets all of them.
 */
export const measureGroup = async (group: readonly BenchCase[], effort: Effort): Promise<Series[]> => {
  const probes: Probe[] = [];
  for (const one of group) probes.push(...(await probesOf(one, effort)));
  const isWarm = group.every((one) => 'load' in one);
  const rounds = isWarm ? effort.rounds : effort.takenRounds;
  const series = new Map<string, { name: string; size: number; unit: string; values: number[] }>();
  const from = cpuMs();
  const warmUpMs = effort.warmUpMs * (group.some(({ name }) => /^(?:step|streamed steps): /.test(name)) ? 6 : 1);
  while (isWarm && cpuMs() - from < warmUpMs) for (const { take } of probes) await take();
  const until = performance.now() + effort.groupMs;
  for (let round = 0; round < rounds && (round < leastRounds || performance.now() < until); round += 1)
    for (const { name, size, take } of round % 2 === 0 ? probes : probes.toReversed())
      for (const [unit, value] of Object.entries(await take())) {
        const key = `${name} ${size} ${unit}`;
        const own = series.get(key) ?? { name, size, unit, values: [] };
        series.set(key, own);
        own.values.push(value);
      }
  return [...series.values()];
};
