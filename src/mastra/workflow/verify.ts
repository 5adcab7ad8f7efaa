import { longestRun, runShowing } from '../../loop/walk.js';
import type { LoopLimits } from '../../loop/machine.js';
import { findDefects, type Defect, type Finding } from '../../pipeline/verify/checks.js';
import { locationOf, type CounterExample, type Hold, type Subject } from '../../pipeline/verify/check.js';
import type { Lane } from './guards.js';
import { toGraph, type Compilable } from '../graph/to-graph.js';
import { errorTable } from '../../errors.js';
import { fieldsIn } from '../../phase/plain-data.js';

/** The context of `verify` besides the guards. Checks that need an omitted option are skipped. */
export interface VerifyOptions {
  /**
   * The agent's array that contains the guards: `'input'`, `'output'` or `'error'`. Default: none, so that all hooks may run.
   * Ignored for an agent, whose arrays are known.
   */
  readonly lane?: Lane;
  /** The maximum number of retries by guards in one run. Default: unknown; for an agent, its configuration. */
  readonly maxProcessorRetries?: number;
  /** Maximum steps of a run, for `latencyBudgetMs`. Default: 1. */
  readonly maxSteps?: number;
  /**
   * The output that is buffered until it is judged: `'none'`, each `'step'`, the whole `'run'`. Default: unknown; for an agent,
   * its configuration.
   */
  readonly hold?: Hold | 'auto';
  /**
   * Total milliseconds for which guards may delay one run, computed from their deadlines (`deadlineMs`): the sum of sequential
   * guards, the slowest of parallel ones, once for each pass of the loop. Default: not checked.
   */
  readonly latencyBudgetMs?: number;
}

/** An object that verifies its own guards: an {@link InterlockAgent}. */
interface Verifiable {
  findings(options?: VerifyOptions): readonly Finding[];
}

/**
 * Reports the defects of a pipeline, a workflow, an array of guards or an agent, without running it. `commit()` and the
 * constructor of an agent throw the errors; only `verify` reports the warnings, which flag configurations that behave differently
 * from what you probably intended.
 *
 * Raises `pipeline/invalid-step` and `pipeline/unsupported-step` for a source that is not a valid pipeline.
 *
 * @example
 * for (const { severity, path, message } of verify(agent, { latencyBudgetMs: 2_000 })) console.log(`${severity} ${path}:
 * ${message}`);
 */
export const verify = (source: Compilable | Verifiable, options: VerifyOptions = {}): readonly Finding[] => {
  if (isVerifiable(source)) return source.findings(options);
  const graph = toGraph(source);
  const { lane } = options;
  return findingsOf({ id: graph.id, roots: [locationOf(graph, { lane, isArray: Array.isArray(source) })] }, options);
};

const isVerifiable = (source: unknown): source is Verifiable => typeof fieldsIn(source)['findings'] === 'function';

/** The findings about a subject, with counter-examples. */
export const findingsOf = (subject: Subject, options: VerifyOptions): readonly Finding[] => {
  const { maxProcessorRetries = subject.maxProcessorRetries, hold = subject.hold, latencyBudgetMs: budgetMs } = options;
  const latency = budgetMs === undefined ? undefined : { budgetMs, longestRun: longestWithin(options, maxProcessorRetries) };
  return findDefects({ ...subject, maxProcessorRetries, hold, latency }).map(toFinding);
};

const longestWithin = ({ maxSteps = 1 }: VerifyOptions, maxRetries = 0): NonNullable<Subject['latency']>['longestRun'] => {
  const limits = { maxSteps, maxRetries, maxRecoveries: maxRetries, models: 1 };
  return (costs) => longestRun(costs, limits);
};

const toFinding = (defect: Defect): Finding => {
  const { code, severity, path } = defect;
  const counterExample = counterExampleOf(defect);
  return { code, severity, path, message: messageOf(defect), ...(counterExample && { counterExample }) };
};

/** The smallest limits with which every state can be reached. No retries, so that a requested retry ends the run. */
const smallest: LoopLimits = { maxSteps: 1, maxRetries: 0, maxRecoveries: 1, models: 1 };

const counterExampleOf = ({ shows }: Defect): CounterExample | undefined =>
  shows && 'state' in shows ? runShowing(shows, smallest) : shows;

/** The message for a defect, with its remedy. */
const messageOf = ({ code, detail }: Defect): string => {
  const { say: sentence } = errorTable[code];
  return detail ? `${detail.charAt(0).toUpperCase()}${detail.slice(1)}. ${sentence}` : sentence;
};
