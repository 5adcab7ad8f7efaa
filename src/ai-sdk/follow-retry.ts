import { createDecider, resolveSnapshot, type Decision, type LoopSnapshot } from '../loop/decide.js';
import { doneEvent, startContext } from '../loop/machine.js';
import { computed } from '../phase/plain-data.js';
import type { Retry } from '../verdict.js';
import { limitsOf } from './guard-options.js';
import type { Run } from './run.js';
import { errorOfStop } from './stop-errors.js';

const decider = createDecider();
const snapshots = new Map<string, LoopSnapshot>();

/** The machine while a step is prepared, with the counters of a run. It grants retries by one rule in each of its states. */
const snapshotOf = ({ state: { retries, recoveries, stepNumber }, options }: Run): LoopSnapshot => {
  const limits = limitsOf(options);
  const key = [stepNumber, retries, recoveries, limits.maxRetries, limits.maxRecoveries].join(' ');
  if (snapshots.size >= 1_000) snapshots.clear();
  const context = startContext({ ...limits, stepNumber, retries, recoveries });
  return computed(snapshots, key, () => resolveSnapshot({ value: { step: 'preparing' }, context }));
};

/** The machine's decision once a step is prepared: to request the model. */
export const preparedDecision = (run: Run): Decision => decider.next(snapshotOf(run), doneEvent('prepare', { kind: 'done' }));

/** Lets the loop's machine decide whether a guard's retry is granted, and counts it. Ends the run if it is not. */
export const followRetry = (run: Run, stop: Retry): void => {
  const { snapshot, starts } = decider.next(snapshotOf(run), doneEvent('prepare', { kind: 'retry' }));
  if (starts.length === 0) throw run.end(errorOfStop(stop));
  const { processorId, phase, reason } = stop;
  const { retries } = snapshot.context;
  run.change({ retries });
  run.emit({ type: 'retry', processorId, phase, reason, retries });
};
