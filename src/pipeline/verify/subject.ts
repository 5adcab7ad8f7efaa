import type { GraphLocation } from './graph-location.js';
import type { CounterExample } from './defect-location.js';

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
