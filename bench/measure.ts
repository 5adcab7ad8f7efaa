import type { BenchCase, Sample, WarmCase, Work } from './case.js';

/** Work runs in batches until `patience` of them in a row were no faster, but not before `minMs`: the compiler works in stages. */
interface WarmUp {
  /** The minimum CPU time of all batches. */
  readonly minMs: number;
  /** CPU time of a batch; at least one run. */
  readonly sampleMs: number;
  readonly patience: number;
  /** The maximum CPU time of all batches. */
  readonly maxMs: number;
}

/** The amount of work that a child process does for its figures. */
interface Effort {
  /** `first`: for the first size of a case; `further`: for the others, whose code is compiled by then. */
  readonly first: WarmUp;
  readonly further: WarmUp;
  readonly samples: number;
  /** CPU time of one sample; at least one run. */
  readonly sampleMs: number;
  /** Sizes above this are left out. */
  readonly largest: number;
}

const quickEffort: Effort = {
  first: { minMs: 0, sampleMs: 100, patience: 2, maxMs: 1_000 },
  further: { minMs: 0, sampleMs: 60, patience: 1, maxMs: 200 },
  samples: 2,
  sampleMs: 30,
  largest: 8_000,
};

const fullEffort: Effort = {
  first: { minMs: 5_000, sampleMs: 300, patience: 3, maxMs: 8_000 },
  further: { minMs: 1_000, sampleMs: 200, patience: 1, maxMs: 2_000 },
  samples: 2,
  sampleMs: 80,
  largest: Infinity,
};

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

/** Runs work for at least this CPU time; at least once. Returns the CPU time of a run. */
const runFor = async (work: Work, ms: number): Promise<number> => {
  const from = cpuMs();
  let runs = 0;
  do {
    await work();
    runs += 1;
  } while (cpuMs() - from < ms);
  return (cpuMs() - from) / runs;
};

/** Work is warm if it gets faster by less than this. */
const gain = 0.03;

const warmUp = async (work: Work, { minMs, sampleMs, patience, maxMs }: WarmUp): Promise<number> => {
  const from = cpuMs();
  let best = Infinity;
  for (let waited = 0; ;) {
    const cpu = await runFor(work, sampleMs);
    waited = cpu < (1 - gain) * best ? 0 : waited + 1;
    best = Math.min(best, cpu);
    const spent = cpuMs() - from;
    if ((waited >= patience && spent >= minMs) || spent >= maxMs) return cpu;
  }
};

/** A run that takes this many times as long as a sample is a sample itself: its compilation time is negligible. */
const slow = 10;

const measureWarm = async ({ name, sizes, units, load }: WarmCase, effort: Effort): Promise<Sample[]> => {
  const prepare = await load();
  const found: Sample[] = [];
  for (const [index, size] of sizes.filter((one) => one <= effort.largest).entries()) {
    const work = prepare(size);
    if (index === 0) globalThis.gc?.(); // never after a warm-up: a forced collection discards compiled code
    const done = await work();
    if (done !== units(size)) throw new Error(`${name}: expected ${units(size)} units, saw ${done}.`);
    const last = await warmUp(work, index === 0 ? effort.first : effort.further);
    const isSlow = last > slow * effort.sampleMs;
    const runs = isSlow ? [last] : [];
    while (!isSlow && runs.length < effort.samples) runs.push(await runFor(work, effort.sampleMs));
    found.push(...runs.map((cpu) => ({ name, size, unit: 'us', value: (cpu * 1_000) / units(size) })));
  }
  return found;
};

/** Measures a case in this process, each size after its own warm-up, so that start-up and compilation are left out. */
export const measure = async (one: BenchCase, isQuick: boolean): Promise<Sample[]> => {
  if ('load' in one) return measureWarm(one, isQuick ? quickEffort : fullEffort);
  return Object.entries(await one.once()).map(([unit, value]) => ({ name: one.name, size: 0, unit, value }));
};
