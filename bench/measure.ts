import type { BenchCase, Cost, Effort, Work } from './case.js';

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** The first size of a case compiles for them all: its warm-up is so many times as long. */
const firstWarmUp = 3;

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

/** Samples every size of a case in this process, each after its own warm-up, so that start-up and compilation stay out. */
export const measureCase = async (
  { name, sizes, units, load }: BenchCase,
  { warmMs, samples, sampleMs, largest }: Effort,
): Promise<Cost[]> => {
  const prepare = await load();
  const costs: Cost[] = [];
  for (const size of sizes.filter((one) => one <= largest)) {
    const work = prepare(size);
    const seen = await work();
    if (seen !== units(size)) throw new Error(`${name}, size ${size}: expected ${units(size)} units, saw ${seen}.`);
    await runFor(work, costs.length === 0 ? firstWarmUp * warmMs : warmMs);
    globalThis.gc?.();
    for (let sample = 0; sample < samples; sample += 1) {
      const { runs, cpu, wall } = await runFor(work, sampleMs);
      const perUnit = 1_000 / (runs * units(size));
      costs.push({ name, size, cpuUs: cpu * perUnit, wallUs: wall * perUnit });
    }
  }
  return costs;
};
