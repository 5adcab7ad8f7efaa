import type { RunStatus } from '../../schemas/index.js';
import { closeAttempt, conclude } from './ending.js';
import { createDecider, type Decision } from './decide.js';
import type { LoopEvent, WorkName } from './machine.js';
import type { Outcome } from './outcome.js';
import { agentChunk, failWith, release, type Run } from './run.js';
import { works } from './works/index.js';

const canceled: LoopEvent = { type: 'CANCEL' };

/**
 * Drives a run from its start to its end: the machine decides, the works do, their outcomes are the machine's next events.
 * Never rejects; how the run ended stands in it.
 */
export const drive = async (run: Run): Promise<void> => {
  const { limits, ports, agentId, mode } = run.options;
  const { maxSteps, maxRetries } = limits;
  const decider = createDecider({ ...limits, models: ports.models.length });
  run.recorder.record({ type: 'run-start', agentId, mode, maxSteps, maxRetries });
  await release(run, agentChunk(run, 'start', { id: agentId, messageId: run.messageId }));
  let decision = decider.begin();
  for (;;) {
    await enter(run, decision);
    const [work] = decision.starts;
    if (!work) break;
    const event = await perform(run, work);
    decision = decider.next(decision.snapshot, event);
  }
  await conclude(run, statusOf(decision));
};

const statusOf = ({ snapshot }: Decision): RunStatus => snapshot.value as RunStatus; // only final and resting states start no work

/** Follows the machine: what it entered is recorded, what it decided about an attempt is carried out. */
const enter = async (run: Run, { entered, snapshot }: Decision): Promise<void> => {
  for (const { state, context } of entered) {
    const { stepNumber, attempt, retries, recoveries, modelIndex } = context;
    const reason = closingReason(state, run);
    if (reason) await closeAttempt(run, reason);
    Object.assign(run.position, { stepNumber, attempt });
    Object.assign(run, { retries, recoveries, modelIndex });
    run.recorder.record({ type: 'state-enter', state });
  }
  const { stepNumber, attempt, retries, recoveries, modelIndex } = snapshot.context;
  Object.assign(run.position, { stepNumber, attempt });
  Object.assign(run, { retries, recoveries, modelIndex });
};

/** Which states close the attempt under way, and as what. */
const closingReason = (state: string, run: Run) => {
  switch (state) {
    case 'step.retrying':
      return 'retry';
    case 'step.deciding':
      return run.attempt?.record?.reason ?? 'stop';
    case 'tripwire':
      return 'tripwire';
    case 'failed':
    case 'canceled':
      return 'error';
    default:
      return undefined;
  }
};

const perform = async (run: Run, work: WorkName): Promise<LoopEvent> => {
  if (run.signal.aborted) return canceled;
  const outcome = await untilAborted(
    works[work](run).catch((error: unknown) => failWith(run, error)),
    run.signal,
  );
  // A guard or tool that fails because the caller gave up has not failed: the caller's word counts.
  if (!outcome || run.signal.aborted) return canceled;
  return { type: `xstate.done.actor.${work}`, output: outcome, actorId: work };
};

/** The outcome, or nothing as soon as the caller gives up: what ignores the signal is not waited for. */
const untilAborted = (outcome: Promise<Outcome>, signal: AbortSignal): Promise<Outcome | undefined> =>
  new Promise((resolve, reject) => {
    const giveUp = () => resolve(undefined);
    signal.addEventListener('abort', giveUp, { once: true });
    outcome.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
