import type { BenchCase, Cost, Effort, Work } from './case.js';

export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** The first size of a case compiles for them all: its warm-up is so many times as long. */
const firstWarmUp = 4;

/** Runs work until it has used so much CPU time; at least once. */
const runFor = async (work: Work, ms: number): Promise<{ runs: number; cpu: number; wall: number }> => {
  const [cpuFrom, wallFrom] = [cpuMs(), performance.now()];
  let runs = 0;
  do {
    await work();
    runs += 1;
  } while (cpuMs() - cpuFrom < ms);
  return { runs, cpu: cpuMs() - cpuFrom, wall: performance.now() - wallFrom };
};

/** Work that takes long is run this often, too, unless that takes three times as long as a warm-up may. */
const enoughRuns = 20;

/** Runs work until it is warm; gives what the last run took. */
const warmUp = async (work: Work, expected: number, ms: number): Promise<{ cpu: number; wall: number }> => {
  const from = cpuMs();
  let last = { cpu: 0, wall: 0 };
  for (let runs = 0, spent = 0; spent < ms || (runs < enoughRuns && spent < 3 * ms); runs += 1) {
    const begun = performance.now();
    const seen = await work();
    if (seen !== expected) throw new Error(`Expected ${expected} units, saw ${seen}.`);
    last = { cpu: cpuMs() - from - spent, wall: performance.now() - begun };
    spent += last.cpu;
  }
  return last;
};

/** A run that takes so many times as long as all samples should is a sample itself: what compiling it takes is lost in it. */
const slow = 5;

/** Samples every size of a case in this process, each after its own warm-up, so that start-up and compilation stay out. */
export const measureCase = async ({ name, sizes, units, warmUps = 1, load }: BenchCase, effort: Effort): Promise<Cost[]> => {
  const { samples, sampleMs, enoughMs, largest } = effort;
  const warmMs = effort.warmMs * warmUps;
  const prepare = await load();
  const costs: Cost[] = [];
  for (const [index, size] of sizes.filter((one) => one <= largest).entries()) {
    const work = prepare(size);
    const last = await warmUp(work, units(size), index === 0 ? firstWarmUp * warmMs : warmMs);
    if (last.cpu > slow * enoughMs) {
      costs.push({ name, size, cpuUs: (last.cpu * 1_000) / units(size), wallUs: (last.wall * 1_000) / units(size) });
      continue;
    }
    globalThis.gc?.();
    const from = cpuMs();
    for (let sample = 0; sample < samples && (sample === 0 || cpuMs() - from < enoughMs); sample += 1) {
      const { runs, cpu, wall } = await runFor(work, sampleMs);
      const perUnit = 1_000 / (runs * units(size));
      costs.push({ name, size, cpuUs: cpu * perUnit, wallUs: wall * perUnit });
    }
  }
  return costs;
};
