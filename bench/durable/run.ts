import type { Goal } from '../goals.js';
import type { Attaches } from './attach-process.js';
import type { CostsFound } from './cost-process.js';
import type { SubjectName } from './engines.js';
import type { Kept } from './kept.js';
import type { Restarts } from './restart.js';

/** What was measured of an engine. */
export interface EngineFigures {
  readonly name: SubjectName;
  readonly costs: CostsFound;
  /** Absent where a run does not outlive its process. */
  readonly restarts?: Restarts;
  /** Absent where a run does not outlive its process. */
  readonly attaches?: Attaches;
}

/** Everything that a run of the bench measured, as it is written to a file. */
export interface DurableRun {
  readonly machine: string;
  readonly date: string;
  readonly isQuick: boolean;
  readonly seconds: number;
  /** What one run gives an engine to keep, by the name of its work: the same on each. */
  readonly kept: Readonly<Record<string, Kept>>;
  readonly engines: readonly EngineFigures[];
  readonly goals: readonly Goal[];
}
