import { createDecider, resting, type LoopSnapshot } from '../loop/decide.js';
import { loopMachine } from '../loop/machine.js';
import type { Outcome } from '../loop/outcome.js';
import type { WorkName } from '../loop/work-names.js';
import type { Phase } from '../phase/row.js';
import { phaseRow } from '../phase/table.js';
import type { Retry } from '../verdict.js';
import type { Run } from './run.js';
import { errorOfStop } from './stop-errors.js';

/** A piece of work of the loop's machine that is done here; the AI SDK decides about the rest. */
export type StepWork = Extract<WorkName, 'input' | 'prepare' | 'request' | 'call' | 'recover' | 'review' | 'tools' | 'finish'>;

const stateOf = {
  input: 'input',
  prepare: { step: 'preparing' },
  request: { step: 'requesting' },
  call: { step: 'calling' },
  recover: { step: 'recovering' },
  review: { step: 'reviewing' },
  tools: { step: 'tools' },
  finish: 'finishing',
} as const satisfies Record<StepWork, LoopSnapshot['value']>;

/** The work whose state in the machine the guards of a phase belong to. */
const workOf = (phase: Phase): StepWork => {
  const { loopState } = phaseRow<Phase>(phase);
  const works = Object.keys(stateOf) as StepWork[];
  return works.find((work) => loopState === stateName(stateOf[work])) ?? 'finish'; // each row names a state of the machine
};

const stateName = (value: (typeof stateOf)[StepWork]): string => (typeof value === 'string' ? value : `step.${value.step}`);

const decider = createDecider(loopMachine);
const snapshots = new Map<string, LoopSnapshot>();

/** The machine in the state of a piece of work, with the counters of a run. */
const snapshotAt = (run: Run, work: StepWork): LoopSnapshot => {
  const { retries, recoveries, options } = run;
  const { maxProcessorRetries: maxRetries = 0, maxErrorRetries: maxRecoveries = 10 } = options;
  const key = [work, retries, recoveries, maxRetries, maxRecoveries].join(' ');
  let snapshot = snapshots.get(key);
  if (snapshot) return snapshot;
  // How many steps there are is the AI SDK's affair.
  const limits = { maxSteps: Number.MAX_SAFE_INTEGER, maxRetries, maxRecoveries, models: 1 };
  const steps = { stepNumber: 0, attempt: 1, modelIndex: 0, toolCalls: 0, stop: false, goesOn: false };
  snapshot = resting({ value: stateOf[work], context: { ...steps, retries, recoveries, limits } });
  if (snapshots.size >= 1_000) snapshots.clear();
  snapshots.set(key, snapshot);
  return snapshot;
};

/** Asks the loop's machine which work follows an outcome, and counts what it counts; nothing where the run ends. */
export const follow = (run: Run, work: StepWork, outcome: Outcome): WorkName | undefined => {
  const event = { type: `xstate.done.actor.${work}`, output: outcome, actorId: work } as const;
  const { snapshot, starts } = decider.next(snapshotAt(run, work), event);
  const { retries, recoveries } = snapshot.context;
  const isRecovery = recoveries > run.recoveries;
  Object.assign(run, { retries, recoveries });
  if (isRecovery) run.emit({ type: 'recovery', recoveries });
  return starts[0];
};

/** The work that follows a retry that a guard asks for. Ends the run where the machine grants none. */
export const followRetry = (run: Run, stop: Retry): WorkName => {
  const next = follow(run, workOf(stop.phase as Phase), { kind: 'retry' }); // guards name the phase that they judged in
  if (!next) throw run.end(errorOfStop(stop));
  const { processorId, phase, reason } = stop;
  run.emit({ type: 'retry', processorId, phase, reason, retries: run.retries });
  return next;
};
