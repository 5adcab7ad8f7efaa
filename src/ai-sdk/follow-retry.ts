import type { ActivityName } from '../loop/activity.js';
import { createDecider, resolveSnapshot, type Decision, type LoopSnapshot } from '../loop/decide.js';
import { doneEvent } from '../loop/machine.js';
import type { Phase } from '../phase/row.js';
import { phaseRow } from '../phase/table.js';
import type { Retry } from '../verdict.js';
import { limitsOf } from './guard-options.js';
import type { Run } from './run.js';
import { errorOfStop } from './stop-errors.js';

/** An activity of the loop's machine that runs between the AI SDK's model calls. */
type StepActivity = Extract<ActivityName, 'input' | 'prepare' | 'tools'>;

const stateOf = {
  input: 'input',
  prepare: { step: 'preparing' },
  tools: { step: 'tools' },
} as const satisfies Record<StepActivity, LoopSnapshot['value']>;

/** The activity whose state in the machine has the guards of a phase. */
const activityOf = (phase: Phase): StepActivity => {
  const { loopState } = phaseRow<Phase>(phase);
  const activities = Object.keys(stateOf) as StepActivity[];
  return activities.find((activity) => loopState === stateName(stateOf[activity])) ?? 'tools'; // each row has the name of a machine state
};

const stateName = (value: (typeof stateOf)[StepActivity]): string => (typeof value === 'string' ? value : `step.${value.step}`);

const decider = createDecider();
const snapshots = new Map<string, LoopSnapshot>();

/** The machine in the state of an activity, with the counters of a run. */
const snapshotAt = (run: Run, activity: StepActivity): LoopSnapshot => {
  const { retries, recoveries, stepNumber } = run.state;
  const limits = limitsOf(run.options);
  const key = [activity, stepNumber, retries, recoveries, limits.maxRetries, limits.maxRecoveries].join(' ');
  let snapshot = snapshots.get(key);
  if (snapshot) return snapshot;
  const step = { stepNumber, attempt: 1, modelIndex: 0, toolCalls: 0, stop: false, goesOn: false };
  snapshot = resolveSnapshot({ value: stateOf[activity], context: { ...step, retries, recoveries, limits } });
  if (snapshots.size >= 1_000) snapshots.clear();
  snapshots.set(key, snapshot);
  return snapshot;
};

/** The machine's decision once a step is prepared: to request the model. */
export const preparedDecision = (run: Run): Decision =>
  decider.next(snapshotAt(run, 'prepare'), doneEvent('prepare', { kind: 'done' }));

/** Lets the loop's machine decide whether a guard's retry is granted, and counts it. Ends the run if it is not. */
export const followRetry = (run: Run, stop: Retry): void => {
  const activity = activityOf(stop.phase as Phase); // guards set the phase that they judged in
  const { snapshot, starts } = decider.next(snapshotAt(run, activity), doneEvent(activity, { kind: 'retry' }));
  if (starts.length === 0) throw run.end(errorOfStop(stop));
  const { processorId, phase, reason } = stop;
  const { retries } = snapshot.context;
  run.change({ retries });
  run.emit({ type: 'retry', processorId, phase, reason, retries });
};
