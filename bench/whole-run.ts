import { availableParallelism } from 'node:os';
import type { BenchCase, Cost, Effort } from './case.js';
import { probes as probeModules, unreadStreams, type ProbeName } from './cases.js';
import { createChildren, type Children } from './children.js';
import { emit } from './emit.js';
import { toFigures, type median } from './figures.js';
import type { Waits } from './gate/goals.js';
import type { WaitName } from './gate/wait-names.js';
import type { Waited } from './gate/waits.js';
import { goalsOf } from './goals.js';
import { longRuns } from './probes/long-runs.js';
import { probed } from './probes/streaming.js';
import { measureRound } from './rounds.js';
import type { BenchRun, Probes, Pulls } from './run.js';

/** What is measured, and how long that may take. */
export interface Wanted {
  readonly cases: readonly BenchCase[];
  readonly waits: readonly WaitName[];
  /** Whether subjects are asked what they take to start, to say a first word, and to hear long answers. */
  readonly hasProbes: boolean;
  /** Whether subjects are asked for streams that nobody reads. */
  readonly hasPulls: boolean;
  readonly rounds: number;
  readonly isQuick: boolean;
  /** No repetition begins that would end after so many minutes. */
  readonly minutes: number;
  readonly pick: typeof median;
  readonly tell: (line: string) => void;
}

const quickEffort: Effort = {
  first: { stretchMs: 150, patience: 3, mostMs: 3_000 },
  further: { stretchMs: 150, patience: 1, mostMs: 600 },
  samples: 2,
  sampleMs: 40,
  enoughMs: 150,
  largest: 8_000,
};

const fullEffort: Effort = {
  first: { stretchMs: 300, patience: 3, mostMs: 8_000 },
  further: { stretchMs: 200, patience: 1, mostMs: 2_000 },
  samples: 2,
  sampleMs: 80,
  enoughMs: 200,
  largest: Infinity,
};

/** The longest that one case or probe is waited for. Idle, the longest takes a sixth of it. */
const limitMs = 120_000;

/** Who is asked what in each repetition. */
const asked: Partial<Record<ProbeName, readonly string[]>> = { start: probed, first: probed, memory: probed };

type Found = Record<ProbeName, Record<string, unknown[]>>;

interface Asking {
  readonly probe: ProbeName;
  readonly names: readonly string[];
}

const askAll = async (children: Children, { probe, names }: Asking, found: Found): Promise<void> => {
  for (const name of names) {
    const result = await children.once({ kind: 'probe', probe, name });
    if (result !== undefined) (found[probe][name] ??= []).push(result);
  }
};

const countPulls = async (children: Children): Promise<Pulls> => {
  const pulls: Record<string, number> = {};
  for (const name of Object.keys(unreadStreams)) {
    const pulled = await children.once<number>({ kind: 'unread', name });
    if (pulled !== undefined) pulls[name] = pulled;
  }
  return pulls;
};

/** Time that passes while nothing is computed: each wait in a process of its own, one after the other. */
const measureWaits = async (children: Children, { waits, rounds, tell }: Wanted): Promise<Waits> => {
  const found: Record<string, readonly Waited[]> = {};
  for (const name of waits) {
    tell(name);
    const waited = await children.once<Waited[]>({ kind: 'wait', name, samples: Math.min(rounds, 2) });
    if (waited) found[name] = waited;
  }
  return found;
};

/** Repeats everything that is repeated, as often as is wanted and there is time for. */
const repeat = async (children: Children, wanted: Wanted) => {
  const { cases, hasProbes, rounds, minutes, isQuick, tell } = wanted;
  const costs: Cost[] = [];
  const found = Object.fromEntries(Object.keys(probeModules).map((probe) => [probe, {}])) as Found; // each has a place
  const from = performance.now();
  let round = 0;
  const hasTime = () => round === 0 || ((performance.now() - from) / round) * (round + 1) < minutes * 60_000;
  for (; round < rounds && hasTime(); round += 1) {
    const onProcess = (name: string) => tell(`round ${round + 1} of ${rounds}: ${name}`);
    costs.push(...(await measureRound(children, cases, { round, effort: isQuick ? quickEffort : fullEffort, onProcess })));
    for (const [probe, names] of Object.entries(hasProbes ? asked : {})) {
      onProcess(probe);
      await askAll(children, { probe: probe as ProbeName, names }, found);
    }
  }
  return { costs, found, round };
};

/** Measures what is wanted. */
export const measureRun = async (wanted: Wanted): Promise<BenchRun> => {
  const { hasProbes, hasPulls, isQuick, pick, tell } = wanted;
  const from = performance.now();
  emit();
  const children = createChildren(limitMs);
  const pulls = hasPulls ? await countPulls(children) : {};
  const waits = await measureWaits(children, wanted);
  const { costs, found, round: rounds } = await repeat(children, wanted);
  tell('long answers');
  if (hasProbes) await askAll(children, { probe: 'long', names: longRuns }, found); // once, and of nobody else: it would take minutes
  const others = { pulls, waits, probes: found as unknown as Probes }; // what the probes of these names give
  const figures = toFigures(costs, pick);
  return {
    machine: `a ${process.platform} machine (${process.arch}) with ${availableParallelism()} cores, Node ${process.versions.node}`,
    date: new Date().toISOString().slice(0, 10),
    rounds,
    isQuick,
    effort: isQuick ? quickEffort : fullEffort,
    seconds: (performance.now() - from) / 1_000,
    cpuSeconds: children.cpuSeconds(),
    givenUp: children.givenUp,
    figures: figures.all,
    goals: goalsOf(figures, others).filter(({ measured }) => measured !== undefined && !Number.isNaN(measured)),
    costs,
    ...others,
  };
};
