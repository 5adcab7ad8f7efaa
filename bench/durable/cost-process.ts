import { engineOf, type Subject } from './engines.js';
import { costOf, type Cost } from './cost.js';
import { storedBytes } from './stored-bytes.js';
import { emptyWorker, worker, type Work } from './works.js';

/** What a process that measures an engine is told. */
export interface CostOrders {
  readonly subject: Subject;
  readonly works: readonly (Work & { readonly runs: number })[];
  /** Runs of so many steps that do nothing are measured, too. */
  readonly emptySteps: readonly number[];
  readonly emptyRuns: number;
}

/** What it found. */
export interface CostsFound {
  /** By the name of the work. */
  readonly works: Readonly<Record<string, { readonly cost: Cost; readonly storedBytes?: number }>>;
  /** By the number of steps; none without an engine. */
  readonly empty: Readonly<Record<number, Cost>>;
}

const { subject, works, emptySteps, emptyRuns } = JSON.parse(process.argv[2] ?? '') as CostOrders;
const engine = engineOf(subject);
const found: Record<string, CostsFound['works'][string]> = {};
const empty: Record<number, Cost> = {};
for (const { runs, ...work } of works) {
  const act = worker(work, engine);
  await act(); // what the engine needs in any case is there
  const before = await storedBytes(subject.spec);
  const cost = await costOf(act, runs);
  const after = await storedBytes(subject.spec);
  const stored = before === undefined || after === undefined ? undefined : (after - before) / cost.runs;
  found[work.name] = { cost, storedBytes: stored };
}
if (engine) for (const steps of emptySteps) empty[steps] = await costOf(emptyWorker(steps, engine), emptyRuns);
await engine?.close();
process.stdout.write(JSON.stringify({ works: found, empty } satisfies CostsFound), () => process.exit()); // an engine's timers are no reason to stay
