/** `error`: it cannot work, and is refused before anything runs. `warning`: it works, though not as it may seem to. */
export type Severity = 'error' | 'warning';

/** A run of the loop: its states in their order, and what happens in them where that matters. */
export type CounterExample = readonly Moment[];

export interface Moment {
  /** A state of the loop, as in the run's `state-enter` events. */
  readonly state: string;
  readonly happens?: string;
}

/** What a counter-example has to show: what happens where, and how the work of that state ends. */
export interface Scene {
  /** The state in which it happens. */
  readonly state: string;
  readonly happens: string;
  /** How that state's work ends; left out where it goes on. */
  readonly ends?: 'trip' | 'retry' | 'failed';
  /** What happened in a state before. */
  readonly before?: Moment;
}

/** A place where a check has found something. */
export interface DefectLocation {
  readonly path: string;
  /** The specific fault, in one clause, before the table's advice. */
  readonly detail?: string;
  /** The run that shows it, or what such a run has to show. */
  readonly shows?: Scene | CounterExample;
}
