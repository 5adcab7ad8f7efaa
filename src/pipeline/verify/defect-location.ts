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
