import { cases } from './cases.js';
import { cpuMs, fullEffort, groupOf, measureGroup, quickEffort, type Effort } from './measure.js';
import type { Series } from './case.js';

/** The process that measures. `main.ts` bundles and starts it; its arguments are the names of cases, and a case `--fresh` in a process of its own. */
const [how = '', ...rest] = process.argv.slice(2);

const answer = (value: unknown): void => void process.stdout.write(JSON.stringify(value), () => process.exit()); // a subject's timers must not keep it alive

const fresh = async (name: string): Promise<unknown> => {
  const found = cases.find((one) => one.name === name);
  if (!found || !('inFreshProcess' in found)) throw new Error(`There is no case "${name}" for a fresh process.`);
  return found.inFreshProcess();
};

const measureAll = async (): Promise<unknown> => {
  const { names, quick, rounds } = JSON.parse(how) as { names: readonly string[]; quick: boolean; rounds?: number };
  const base = quick ? quickEffort : fullEffort;
  const effort: Effort = rounds === undefined ? base : { ...base, rounds, takenRounds: Math.min(rounds, base.takenRounds) };
  const chosen = cases.filter(({ name }) => names.includes(name));
  const series: Series[] = [];
  for (const [group, own] of Map.groupBy(chosen, groupOf)) {
    process.stderr.write(`${String(Math.round(performance.now() / 1_000)).padStart(6)} s  ${group}\n`);
    series.push(...(await measureGroup(own, effort)));
  }
  return { series, cpuSeconds: cpuMs() / 1_000, rounds: effort.rounds };
};

answer(how === '--fresh' ? await fresh(rest[0] ?? '') : await measureAll());
