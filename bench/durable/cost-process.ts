import { bareOf } from './bare.js';
import { engineOf, type Subject } from './engines.js';
import { costsOf, type Cost } from './cost.js';
import { stored } from './stored.js';
import { worker, type Work } from './works.js';

/** The orders for a process that measures an engine. */
export interface CostOrders {
  readonly subject: Subject;
  /** Works that are measured in turn with empty runs of each step count in `emptySteps`, on the engine without this library. */
  readonly baselines: readonly Work[];
  readonly emptySteps: readonly number[];
  /** Works that are measured separately. */
  readonly alone: readonly Work[];
  /** Works of which only the stored data is measured. */
  readonly sized?: readonly Work[];
  readonly runs: number;
}

/** The results of such a process. */
export interface CostsFound {
  /** By the name of the work. */
  readonly works: Readonly<Record<string, { readonly cost?: Cost; readonly storedBytes?: number }>>;
  /** By the number of steps; empty for an engine that stores nothing. */
  readonly empty: Readonly<Record<number, Cost>>;
}

const { subject, baselines, emptySteps, alone, sized = [], runs } = JSON.parse(process.argv[2] ?? '') as CostOrders;
const bare = subject.spec && (await bareOf(subject.spec));
const engine = engineOf(subject);
const acts = new Map([...baselines, ...alone, ...sized].map((work) => [work, worker(work, engine)]));
const actOf = (work: Work) => acts.get(work) ?? worker(work, engine);

/** The growth of storage per run, if it can be measured: of many short runs, because a database grows by several pages at once. */
const growthOf = async (work: Work): Promise<number | undefined> => {
  const before = await stored(subject.spec);
  if (!before) return undefined;
  const some = Math.ceil((2 * runs) / Math.max(work.toolCalls / 10, 1));
  for (let run = 0; run < some; run += 1) await actOf(work)();
  const after = (await stored(subject.spec)) ?? before;
  return (after.bytes - before.bytes) / some;
};

const baselineActs = baselines.map(actOf);
const emptyActs = bare ? emptySteps.map((steps) => () => bare(steps)) : [];
const costs = await costsOf([...baselineActs, ...emptyActs], runs);
const empty: Record<number, Cost> = {};
for (const [index, steps] of emptySteps.entries()) {
  const cost = costs[baselines.length + index];
  if (cost) empty[steps] = cost;
}
const works: Record<string, CostsFound['works'][string]> = {};
for (const work of [...baselines, ...alone]) {
  const cost = costs[baselines.indexOf(work)] ?? (await costsOf([actOf(work)], runs / 2))[0];
  if (cost) works[work.name] = { cost, storedBytes: await growthOf(work) };
}
for (const work of sized) works[work.name] = { storedBytes: await growthOf(work) };
await engine?.close();
process.stdout.write(JSON.stringify({ works, empty } satisfies CostsFound), () => process.exit()); // despite an engine's timers
