import type { GraphLocation } from './graph-location.js';

/** One check of `verify`. Its code is its key in the table of errors, which also has the remedy. */
export interface Check {
  readonly severity: Severity;
  /** The places with the defect; each defect is one place. */
  find(subject: Subject): readonly DefectLocation[];
}

/** The subject of verification: one pipeline, or all lanes of an agent. */
export interface Subject {
  /** Its name, for findings about the whole. */
  readonly id: string;
  /** Each pipeline or lane. */
  readonly roots: readonly GraphLocation[];
  /** Whether some lanes are unknown. */
  readonly isPartial?: boolean;
  /** Maximum number of granted retries in one run; undefined if unknown. */
  readonly maxProcessorRetries?: number;
  /** The content that is withheld until it was judged; undefined if unknown. */
  readonly hold?: Hold;
  readonly latency?: LatencyBudget;
}

/** The content that an agent withholds until its guards have judged it: none, the text of a step, or that of the whole run. */
export type Hold = 'none' | 'step' | 'run';

/** Maximum time that guards may delay a run. */
interface LatencyBudget {
  readonly budgetMs: number;
  /** The run with the highest cost, given the cost of each state of the loop with guards. */
  longestRun(costs: StateCosts): LongestRun;
}

/** Milliseconds that guards may take each time the loop is in a state. */
export type StateCosts = ReadonlyMap<string, number>;

export interface LongestRun {
  readonly ms: number;
  readonly moments: CounterExample;
}

/**
 * `error`: the configuration cannot work, and is refused before anything runs. `warning`: it works, but may differ from its appearance.
 */
export type Severity = 'error' | 'warning';

/** A run of the loop: its states in order, and the relevant events in them. */
export type CounterExample = readonly Moment[];

export interface Moment {
  /** A state of the loop, as in the run's `state-enter` events. */
  readonly state: string;
  readonly happens?: string;
}

/** The required content of a counter-example: the event, its state, and the outcome of that state. */
export interface Scene {
  /** The state of the event. */
  readonly state: string;
  readonly happens: string;
  /** The outcome of that state's activity; undefined if it continues. */
  readonly ends?: 'trip' | 'retry' | 'failed';
  /** An event in an earlier state. */
  readonly before?: Moment;
}

/** A place with a defect. */
export interface DefectLocation {
  readonly path: string;
  /** The specific fault, in one clause, before the table's advice. */
  readonly detail?: string;
  /** The run that shows it, or the required content of such a run. */
  readonly shows?: Scene | CounterExample;
}
