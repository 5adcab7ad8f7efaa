import { InterlockError, isInterlockError, messageOf } from '../errors.js';
import type { RunStatus, StepReason } from '../../schemas/run-event.js';
import { createDecider, resolveSnapshot, type Decision } from './decide.js';
import { finishAttempt, finalizeRun } from './finalize-run.js';
import { failWith, publicError, stopWith } from './judge.js';
import { rethrowInterruption } from './interruption.js';
import type { Run } from './run.js';
import { doneEvent, type LoopEvent } from './machine.js';
import { isPromise, type Awaitable, untilAborted } from '../phase/awaitable.js';
import { otherCodeRan } from '../phase/plain-data.js';
import type { Outcome, OutcomeKind, ActivityName } from './activity.js';
import { agentChunk, publish } from './emit.js';
import { call, judgeOverlap, open } from './activities/call.js';
import { finish, persist, review } from './activities/review.js';
import { input, prepare, request } from './activities/prepare.js';
import { recover } from './activities/recover.js';
import { tools } from './activities/tools.js';

/**
 * Drives a run from its start to its end: the machine decides, activities run, and their outcomes are the machine's next events.
 * It never rejects because of hooks, tools, callbacks or providers: the run holds its own outcome. It rejects only when a
 * journal is interrupted, and the run then continues in another execution.
 */
export const drive = async (run: Run): Promise<void> => {
  const { signal } = run;
  const stopWaiting = () => {
    run.options.streamBuffer.drain(); // no reader may be left
    run.state.attempt?.modelCall?.hangUp(signal.reason);
  };
  if (signal.aborted) stopWaiting();
  signal.addEventListener('abort', stopWaiting, { once: true });
  try {
    await runMachine(run);
  } catch (error) {
    rethrowInterruption(error);
    run.journal.catchUp(run);
    run.change({ error: publicError(run, toRunError(error, 'loop')) });
    await finalizeRun(run, 'failed');
  } finally {
    signal.removeEventListener('abort', stopWaiting);
  }
};

/** Shared by all runs, so that each decision is computed once. */
const decider = createDecider();

/**
 * Runs the machine in checkpointed sections. Between them the code only computes the next decision from past events, so that a restored
 * run reaches the same state again.
 */
const runMachine = async (run: Run): Promise<void> => {
  const { limits, before } = run.options;
  const { isResumed, counters } = run.state;
  let decision = isResumed
    ? decider.next(resolveSnapshot({ value: 'suspended', context: counters }), { type: 'RESUME' })
    : (before?.decision ?? decider.start({ ...limits, ...before?.counts }));
  for (let count = 0, isOver = false; !isOver; count += 1) {
    const from = decision;
    const checkpoint = await run.journal.checkpoint(run, keyOf(count, from), () => runToCheckpoint(run, from));
    ({ isOver } = checkpoint);
    if (!isOver) decision = checkpoint.events.reduce((at, event) => decider.next(at.snapshot, event), from);
  }
  run.journal.catchUp(run);
};

const keyOf = (count: number, { starts }: Decision): string => `${count} ${starts.join(' ') || 'end'}`;

/** The events of a checkpointed section, and whether it ended the run. */
interface Checkpoint {
  readonly events: readonly LoopEvent[];
  readonly isOver: boolean;
}

/** Runs until no activity is under way and the state can be persisted, or until the run ends or is suspended. */
const runToCheckpoint = async (run: Run, from: Decision): Promise<Checkpoint> => {
  if (run.recorder.events.length === 0) await startRun(run);
  const underWay = new Map<ActivityName, Awaitable<LoopEvent>>();
  const events: LoopEvent[] = [];
  for (let decision = from; ;) {
    const finishing = enter(run, decision);
    if (finishing) await finishing;
    for (const activity of decision.starts) underWay.set(activity, perform(run, activity));
    const [only] = underWay.values();
    if (!only) {
      await finalizeRun(run, decision.snapshot.value as RunStatus); // only final and suspended states have none; their names are statuses
      return { events, isOver: true };
    }
    const next = underWay.size === 1 ? only : Promise.race([...underWay.values()].map((each) => Promise.resolve(each)));
    const event = isPromise(next) ? await next : next;
    events.push(event);
    decision = decider.next(decision.snapshot, event);
    for (const activity of decision.stops) underWay.delete(activity); // its outcome is ignored
    if (underWay.size > 0) continue;
    run.recorder.flush(); // the summary belongs to the persisted state
    if (run.journal.mayEnd(run, decision.starts)) return { events, isOver: false };
  }
};

const startRun = async (run: Run): Promise<void> => {
  const { limits, agentId, mode } = run.options;
  const { maxSteps, maxRetries } = limits;
  run.recorder.record({ type: 'run-start', agentId, mode, maxSteps, maxRetries });
  await publish(run, agentChunk(run, 'start', { id: agentId, messageId: run.state.messageId }));
};

/** Follows the machine: records the states it entered. Returns a promise only if one of them ends an attempt. */
const enter = (run: Run, { entered }: Decision): Promise<void> | undefined => {
  if (entered.some(({ state }) => closingReason(state, run))) return finishAttempts(run, entered);
  for (const one of entered) reach(run, one);
  return undefined;
};

/** The same; also carries out the machine's decisions about the attempt. */
const finishAttempts = async (run: Run, entered: Decision['entered']): Promise<void> => {
  for (const [index, one] of entered.entries()) {
    const reason = closingReason(one.state, run);
    const continues = entered[index + 1]?.state.startsWith('step.') ?? false;
    if (reason) await finishAttempt(run, { reason, continues });
    reach(run, one);
  }
};

const reach = (run: Run, { state, context }: Decision['entered'][number]): void => {
  run.change({ counters: context });
  run.recorder.record({ type: 'state-enter', state });
};

/** The states that cut an attempt off, each with the reported reason. */
const cutOffBy: Partial<Record<string, StepReason>> = {
  'step.retrying': 'retry',
  tripwire: 'tripwire',
  failed: 'error',
  canceled: 'error',
};

const closingReason = (state: string, { state: { attempt } }: Run): StepReason | undefined =>
  state === 'step.deciding' ? (attempt?.record?.reason ?? 'stop') : cutOffBy[state];

const canceled: LoopEvent = { type: 'CANCEL' };

/** Runs an activity; synchronous if its code is. */
const perform = (run: Run, activity: ActivityName): Awaitable<LoopEvent> => {
  if (run.signal.aborted) return canceled;
  // A guard or tool that fails because of the cancellation has not failed: its outcome comes too late to count.
  const eventOf = (output: Outcome | undefined): LoopEvent => (output ? doneEvent(activity, output) : canceled);
  const outcome = driver.runActivity(run, activity);
  return isPromise(outcome) ? untilAborted(outcome, run.signal).then(eventOf) : eventOf(run.signal.aborted ? undefined : outcome);
};

/** Recorded stacks end at this function, see `framesOf`: as a property, it keeps its name in the package. */
const driver = {
  enterActivity: (run: Run, activity: ActivityName): Awaitable<Outcome> => activities[activity](run),
  runActivity: (run: Run, activity: ActivityName): Awaitable<Outcome> => {
    const fail = (error: unknown): Outcome => {
      rethrowInterruption(error);
      return failWith(run, toRunError(error, activity));
    };
    otherCodeRan(); // a tool, a callback or the model
    try {
      const outcome =
        run.options.tracer?.within?.(() => driver.enterActivity(run, activity)) ?? driver.enterActivity(run, activity);
      return isPromise(outcome) ? outcome.then((end) => settledOutcome(run, end), fail) : settledOutcome(run, outcome);
    } catch (error) {
      return fail(error);
    }
  },
};

const stops = new Set<OutcomeKind>(['trip', 'retry', 'failed']);

const settledOutcome = (run: Run, outcome: Outcome): Outcome => {
  if (outcome.kind === 'retry' && run.options.mayTakeBack?.() === false) return { kind: 'trip' };
  // A guard may have stopped the run during the activity: on a data part that was written late, or from a hook that continued.
  return run.state.stop && !stops.has(outcome.kind) ? stopWith(run, run.state.stop) : outcome;
};

const toRunError = (error: unknown, path: string): InterlockError =>
  isInterlockError(error) ? error : new InterlockError('run/failed', { path, detail: messageOf(error), cause: error });

/** The activities that the machine requests, as the in-process driver runs them. */
const activities: Record<ActivityName, (run: Run) => Awaitable<Outcome>> = {
  input,
  prepare,
  request,
  open,
  judge: judgeOverlap,
  call,
  review,
  tools,
  recover,
  finish,
  persist,
};
