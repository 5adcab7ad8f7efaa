import type { BenchCase, Cost, Effort, WarmUp, Work } from './case.js';

export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

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

/** What gets faster by less than this is as fast as it gets. */
const gain = 0.03;

/**
 * Runs work until it gets no faster: a loop of steps is so much code that the compiler is at work for seconds. Gives what a run took
 * in the last stretch.
 */
const warmUp = async (work: Work, { stretchMs, patience, mostMs }: WarmUp): Promise<{ cpu: number; wall: number }> => {
  const from = cpuMs();
  let best = Infinity;
  for (let waited = 0; ;) {
    const { runs, cpu, wall } = await runFor(work, stretchMs);
    const isFaster = cpu / runs < (1 - gain) * best;
    waited = isFaster ? 0 : waited + 1;
    best = Math.min(best, cpu / runs);
    if (waited >= patience || cpuMs() - from >= mostMs) return { cpu: cpu / runs, wall: wall / runs };
  }
};

/** A run that takes so many times as long as all samples should is a sample itself: what compiling it takes is lost in it. */
const slow = 5;

/** Samples every size of a case in this process, each after its own warm-up, so that start-up and compilation stay out. */
export const measureCase = async ({ name, sizes, units, load }: BenchCase, effort: Effort): Promise<Cost[]> => {
  const { samples, sampleMs, enoughMs, largest } = effort;
  const prepare = await load();
  const costs: Cost[] = [];
  for (const [index, size] of sizes.filter((one) => one <= largest).entries()) {
    const work = prepare(size);
    if (index === 0) globalThis.gc?.(); // never after a warm-up: a collection that is forced throws away what was compiled, too
    const seen = await work();
    if (seen !== units(size)) throw new Error(`Expected ${units(size)} units, saw ${seen}.`);
    const last = await warmUp(work, index === 0 ? effort.first : effort.further); // the first size compiles for them all
    if (last.cpu > slow * enoughMs) {
      costs.push({ name, size, cpuUs: (last.cpu * 1_000) / units(size), wallUs: (last.wall * 1_000) / units(size) });
      continue;
    }
    const from = cpuMs();
    for (let sample = 0; sample < samples && (sample === 0 || cpuMs() - from < enoughMs); sample += 1) {
      const { runs, cpu, wall } = await runFor(work, sampleMs);
      const perUnit = 1_000 / (runs * units(size));
      costs.push({ name, size, cpuUs: cpu * perUnit, wallUs: wall * perUnit });
    }
  }
  return costs;
};
