import type { GraphLocation } from './graph-location.js';
import type { CounterExample } from './defect-location.js';

/** What is verified: one pipeline, or all lanes of an agent. */
export interface Subject {
  /** Its name, for findings about the whole. */
  readonly id: string;
  /** Each pipeline or lane. */
  readonly roots: readonly GraphLocation[];
  /** Whether there are lanes that are not known. */
  readonly isPartial?: boolean;
  /** Retries that guards may be granted in one run; left out where it is not known. */
  readonly maxProcessorRetries?: number;
  /** What is withheld until it was judged; left out where it is not known. */
  readonly hold?: Hold;
  readonly latency?: LatencyBudget;
}

/** What an agent withholds until its guards have judged it: nothing, the words of a step, or those of the whole run. */
export type Hold = 'none' | 'step' | 'run';

/** How long guards may keep a run waiting. */
interface LatencyBudget {
  readonly budgetMs: number;
  /** The run that spends the most, given what is spent in each state of the loop in which guards run. */
  longestRun(costs: StateCosts): LongestRun;
}

/** Milliseconds that guards may take each time the loop is in a state. */
export type StateCosts = ReadonlyMap<string, number>;

export interface LongestRun {
  readonly ms: number;
  readonly moments: CounterExample;
}
