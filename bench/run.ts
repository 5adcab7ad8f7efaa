import type { Cost, Effort } from './case.js';
import type { GivenUp } from './children.js';
import type { Figure } from './figures.js';
import type { Waits } from './gate/goals.js';
import type { Goal } from './goal.js';
import type { LongRun } from './probes/long.js';
import type { Start } from './probes/start.js';

/** Parts pulled from the provider by each subject while nobody read. */
export type Pulls = Readonly<Record<string, number>>;

/** What was asked of each subject, in so many processes. */
export interface Probes {
  readonly start: Readonly<Record<string, readonly Start[]>>;
  /** Milliseconds to the first text. */
  readonly first: Readonly<Record<string, readonly number[]>>;
  /** The most memory, in MB. */
  readonly memory: Readonly<Record<string, readonly number[]>>;
  readonly long: Readonly<Record<string, readonly LongRun[]>>;
}

/** What was measured beside the cases' costs. */
export interface OtherFigures {
  readonly pulls: Pulls;
  readonly waits: Waits;
  readonly probes: Probes;
}

/** Everything that a run of the bench measured, as it is written to a file. */
export interface BenchRun extends OtherFigures {
  readonly machine: string;
  readonly date: string;
  readonly rounds: number;
  readonly isQuick: boolean;
  readonly effort: Effort;
  readonly seconds: number;
  /** What all processes used together: what the run takes on an idle machine, but for the waits. */
  readonly cpuSeconds: number;
  readonly givenUp: readonly GivenUp[];
  readonly figures: readonly Figure[];
  readonly goals: readonly Goal[];
  readonly costs: readonly Cost[];
}
