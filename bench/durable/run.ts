import type { Goal } from '../goals.js';
import type { Attaches } from './attach-process.js';
import type { CostsFound } from './cost-process.js';
import type { SubjectName } from './engines.js';
import type { PersistedSize } from './persisted-size.js';
import type { Restarts } from './restart.js';

/** The measurements of an engine. */
export interface EngineFigures {
  readonly name: SubjectName;
  readonly costs: CostsFound;
  /** Undefined if runs do not outlive their process. */
  readonly restarts?: Restarts;
  /** Undefined if runs do not outlive their process. */
  readonly attaches?: Attaches;
}

/** All measurements of one run of the bench, as written to a file. */
export interface DurableRun {
  readonly machine: string;
  readonly date: string;
  readonly isQuick: boolean;
  readonly seconds: number;
  /** The data of one run that an engine stores, by the name of its work: the same on each. */
  readonly kept: Readonly<Record<string, PersistedSize>>;
  readonly engines: readonly EngineFigures[];
  readonly goals: readonly Goal[];
}
