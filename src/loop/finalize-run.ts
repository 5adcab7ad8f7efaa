import { InterlockError, isInterlockError, messageOf } from '../errors.js';
import type { RunStatus, StepReason, Tripwire } from '../../schemas/run-event.js';
import { restoreConversation, snapshotConversation } from './conversation.js';
import { dropRejectedStep, persistRejectedTurn } from './persist-rejected-turn.js';
import { keepRejectedWords, keepsChat, keptMark, lastStepAfter } from './judge.js';
import type { Chunk, ConversationSnapshot, StepRecord } from './ports.js';
import { agentChunk, publish, retract, waitingChunk } from './emit.js';
import {
  acceptedSteps,
  changeAttempt,
  currentAttempt,
  isWithheld,
  visibleSteps,
  type Attempt,
  type Run,
  waitingCalls,
} from './run.js';
import { recordStep, rejectRecord, responseStep } from './step-record.js';
import { safely, untilAborted, attempted } from '../phase/awaitable.js';
import { definedFields, fieldsIn } from '../phase/plain-data.js';
import { recordWastedCall } from './model-call.js';

/** The end of an attempt. */
interface AttemptEnd {
  readonly reason: StepReason;
  /** Whether the run continues with another attempt or step. */
  readonly continues: boolean;
}

/** Carries out the machine's decision about the attempt: reports its step as finished, or retracts it. */
export const finishAttempt = async (run: Run, end: AttemptEnd): Promise<void> => {
  if (!run.state.attempt) return restoreConversation(run, run.state.start); // the input was not accepted: discard the guards' edits of it
  run.recorder.flush(); // stream guards' work since the model's stream ended belongs to this step
  recordWastedCall(run);
  const attempt = currentAttempt(run);
  const { reason } = end;
  const record = attempt.record ?? recordStep(run, attempt);
  if (attempt.closed) {
    if (reason === 'error') run.change({ start: snapshotConversation(run) }); // memory keeps the calls of accepted steps
    return reopenResult(run, record, reason);
  }
  changeAttempt(run, { record, closed: true });
  record.reason = reason;
  const { steps, accepted } = run.state;
  if (!steps.includes(record)) run.change({ steps: [...steps, record] });
  if (reason === 'stop' || reason === 'tool-calls') run.change({ accepted: [...accepted, responseStep(attempt, record)] });
  else await reject(run, attempt, record);
  run.recorder.record({ type: 'step-finish', reason });
  if (attempt.place !== undefined) await publish(run, stepFinish(run, record, end));
  if (run.options.hold === 'step') run.options.streamBuffer.flush();
  if (run.options.hold !== 'run') await notifyStep(run, record);
};

const notifyStep = (run: Run, record: StepRecord): Promise<unknown> | undefined => {
  const notified = safely(run.options.onStepFinish, record, run);
  return notified && untilAborted(notified, run.signal);
};

/** Calls the delayed callbacks for buffered steps once the run is accepted. A failed run does not call them. */
const notifyBufferedSteps = async (run: Run, status: RunStatus): Promise<void> => {
  const { hold, onStepFinish } = run.options;
  if (!onStepFinish || hold !== 'run' || (status !== 'success' && status !== 'tripwire')) return;
  for (const record of visibleSteps(run)) await notifyStep(run, record);
};

/** Removes an attempt that was cut off: from the conversation, from the results and from the reader's view. */
const reject = async (run: Run, attempt: Attempt, record: StepRecord): Promise<void> => {
  const { reason } = record;
  rollBack(run, run.state.start, [record]);
  const place = attempt.place ?? run.options.streamBuffer.offset;
  if (isModelFailure(run, reason)) run.options.streamBuffer.drop(place); // emitted content of a failed attempt stays, marked as failed
  else await retract(run, { partIds: attempt.answer.partIds, place, scope: 'step' });
};

/** Removes rejected steps from the conversation and from the results; the results of their tools may serve another attempt. */
const rollBack = (run: Run, to: ConversationSnapshot | undefined, records: readonly StepRecord[]): void => {
  keepRejectedWords(run);
  restoreConversation(run, to);
  run.change({ reusable: [...run.state.reusable, ...(run.state.attempt?.finishedCalls ?? [])] });
  const tripwire = tripwireOf(run);
  for (const record of records)
    rejectRecord(run, record, tripwire && record.reason !== 'error' ? withoutPlace(tripwire) : undefined);
};

/**
 * The model failed or the caller canceled: all emitted content had its verdicts. After a guard without a verdict, some of it was never
 * judged.
 */
const isModelFailure = ({ state: { stop } }: Run, reason: StepReason | undefined): boolean =>
  reason === 'error' && stop?.kind !== 'unavailable';

/** A stop after the last step was accepted concerns the whole result: a retry retracts the last step, an end retracts all. */
const reopenResult = async (run: Run, last: StepRecord, reason: StepReason): Promise<void> => {
  const { accepted } = run.state;
  if (run.state.isResultAccepted || (reason === 'error' && run.signal.aborted)) return;
  const rejected = reason === 'retry' ? accepted.filter(({ record }) => record === last) : accepted;
  if (reason !== 'error') run.change({ accepted: accepted.filter((step) => !rejected.includes(step)) });
  const { start, firstStep } = run.state;
  for (const { record } of rejected) record.reason = reason;
  const records = rejected.map(({ record }) => record);
  rollBack(run, reason === 'retry' ? start : firstStep, records);
  const [first] = rejected;
  if (isModelFailure(run, reason) || !first) return;
  const partIds = rejected.flatMap((step) => [...step.partIds]);
  const isDropped = await retract(run, { partIds, place: first.place, scope: reason === 'retry' ? 'step' : 'run' });
  if (isDropped) await publish(run, stepFinish(run, first.record, { reason, continues: reason === 'retry' })); // its end was removed, too
};

/** The host adds the steps when readers get the chunk, `stepCount` and this one (`step`): it may be buffered, and guards may edit them until then. */
const stepFinish = (run: Run, record: StepRecord, { reason, continues }: AttemptEnd) => ({
  ...agentChunk(run, 'step-finish', {
    id: run.state.messageId,
    messageId: run.state.messageId,
    providerMetadata: record.providerMetadata,
    totalUsage: { ...run.state.usage },
    response: record.response,
    stepResult: { reason: chunkReason(record, reason), ...rawReasonOf(run), isContinued: continues, warnings: record.warnings },
    output: {
      usage: continues ? record.usage : { ...record.usage, ...run.state.usage }, // of the run at its end, as in Mastra
      step: run.state.steps.indexOf(record),
      stepCount: run.state.steps.length,
    },
    metadata: { ...record.response, request: record.request, providerMetadata: record.providerMetadata },
    messages: { all: [], user: [], nonUser: [] },
    ...(record.tripwire && { tripwire: record.tripwire }),
  }),
  metadata: { attempt: record.attempt },
});

/** A finished step has the model's own reason (`length`, `content-filter`, …), a rejected step the loop's. */
const chunkReason = ({ finishReason }: StepRecord, reason: StepReason): string =>
  reason === 'stop' || reason === 'tool-calls' ? (finishReason ?? reason) : reason;

/** The provider's own word for the reason of the last response. */
const rawReasonOf = ({ state: { attempt } }: Run) => definedFields({ rawReason: attempt?.finish?.rawReason });

/** The tripwire of a run that ended as one. */
export const tripwireOf = ({ state: { stop } }: Run): Tripwire | undefined => {
  if (!stop || stop.kind === 'unavailable') return undefined;
  const { reason, metadata, processorId, phase, path } = stop;
  const kind = stop.kind === 'trip' && stop.outage && ({ kind: 'unavailable' } as const); // no violation
  return { reason, retry: stop.kind === 'retry', metadata, processorId, phase, path, ...kind };
};

/** Omits the place of a guard in its pipeline, which is internal to the application. */
const withoutPlace = ({ phase: _phase, path: _path, ...tripwire }: Tripwire): Omit<Tripwire, 'phase' | 'path'> => tripwire;

/** Reports the end of a run once, with the same status in events, chunks and result. */
export const finalizeRun = async (run: Run, status: RunStatus): Promise<void> => {
  run.change({ status });
  detach(run);
  run.recorder.flush();
  const { streamBuffer, hold } = run.options;
  streamBuffer.drain(); // the last chunks do not wait for a reader, so that every run ends
  if (status === 'suspended' && hold === 'step') streamBuffer.flush(); // the guards have accepted the step that waits
  const chunks = streamBuffer.dropBuffered();
  if (status !== 'success') run.change({ held: { chunks, from: streamBuffer.offset } }); // a suspended run may still emit it
  streamBuffer.flush();
  await retractShown(run);
  if (status === 'success') await publishUnseen(run, chunks);
  await notifyBufferedSteps(run, status);
  await persistRejectedTurn(run, status);
  dropRejectedStep(run);
  if (status === 'canceled') run.change({ error: canceledBy(run.signal.reason) });
  const tripwire = status === 'tripwire' ? tripwireOf(run) : undefined;
  if (status === 'suspended') await publishWaiting(run, chunks);
  if (tripwire) await publishTripwire(run, tripwire);
  if (status === 'failed') await publish(run, agentChunk(run, 'error', { error: run.state.error }));
  if (status === 'canceled') await publish(run, agentChunk(run, 'abort', { reason: messageOf(run.state.error) }));
  await publish(run, finishChunk(run));
  run.recorder.record({
    type: 'run-finish',
    status,
    tripwire,
    error: status === 'failed' || status === 'canceled' ? errorFact(run.state.error) : undefined,
    retries: run.state.counters.retries,
  });
  closeConnection(run);
  run.options.streamBuffer.close();
};

const publishTripwire = async (run: Run, tripwire: Tripwire): Promise<void> => {
  const { runId, serveGuardDetails } = run.options;
  const { accepted, stop } = run.state;
  const blocked = { phase: tripwire.phase, keepsLastStep: lastStepAfter(stop) === 'kept' };
  if (keepsChat(blocked, { hasSteps: accepted.length > 0, isUnseen: isWithheld(run) }))
    await publish(run, { type: keptMark, runId, from: 'AGENT', data: {} });
  await publish(run, agentChunk(run, 'tripwire', serveGuardDetails ? tripwire : withoutPlace(tripwire)));
};

/** Publishes the chunks that waited for the guards of the answer, without the calls that left before them. */
const publishUnseen = async (run: Run, chunks: readonly Chunk[]): Promise<void> => {
  const { shownCalls } = run.state;
  for (const chunk of chunks) if (shownCalls.length === 0 || !isOfCall(shownCalls)(chunk)) await publish(run, chunk);
};

/** Retracts the calls that a run was suspended for, and whose attempts were rejected afterwards: they left before the rest of the answer. */
const retractShown = async (run: Run): Promise<void> => {
  const { accepted, attempt, shownCalls, status, stop } = run.state;
  if (status === 'canceled' || (status === 'failed' && stop?.kind !== 'unavailable')) return; // see isModelFailure
  const steps = [...accepted, ...(status === 'suspended' && attempt ? [attempt.answer] : [])];
  const partIds = shownCalls.filter((id) => !steps.some((step) => step.partIds.has(id)));
  if (partIds.length === 0) return;
  await retract(run, { partIds, place: 0, scope: 'run' });
  run.change({ shownCalls: shownCalls.filter((id) => !partIds.includes(id)) });
};

const closeConnection = ({ options }: Run): void => {
  const connection = options.ports.connection?.();
  if (connection?.closeOnFinish) attempted(() => connection.close()); // a failure does not change the end of the run
};

/** A deadline is reported as such. */
const canceledBy = (reason: unknown): InterlockError =>
  isInterlockError(reason, 'run/deadline') ? reason : new InterlockError('run/canceled', { cause: reason });

/** The finish reason in results: the model's own after an accepted response, `other` if a guard or the caller ended it. */
export const finishReasonOf = (run: Run): string => {
  switch (run.state.status) {
    case 'success':
      return acceptedSteps(run).at(-1)?.finishReason ?? 'unknown';
    case 'failed':
      return 'error';
    case 'suspended':
      return 'suspended';
    case 'tripwire':
    case 'canceled':
    case undefined:
      return 'other';
    default:
      return run.state.status satisfies never;
  }
};

const finishChunk = (run: Run) => {
  const last = isWithheld(run) ? undefined : acceptedSteps(run).at(-1);
  return agentChunk(run, 'finish', {
    messageId: run.state.messageId,
    stepResult: { reason: finishReasonOf(run), ...rawReasonOf(run), isContinued: false, warnings: last?.warnings ?? [] },
    output: { usage: { ...run.state.usage }, steps: visibleSteps(run) },
    metadata: { ...last?.response, request: last?.request, providerMetadata: last?.providerMetadata, status: run.state.status },
    providerMetadata: last?.providerMetadata,
    messages: { all: [], user: [], nonUser: [] },
  });
};

export const errorFact = (error: unknown) => ({
  name: error instanceof Error ? error.name : 'Error',
  message: messageOf(error),
  code: isInterlockError(error) ? error.code : undefined,
});

/** Detaches the conversation, so that code that holds it cannot change the result of the run. */
const detach = (run: Run): void => {
  const { input, output, error, memory } = run.options.lanes;
  if (input || output || error || memory) run.change({ list: run.options.ports.messages.detached(run.state.list) }); // without guards no hook received it
};

/**
 * Publishes what each waiting call waits for. `held`: the chunks that wait for the guards of the whole answer; the waiting calls among
 * them are accepted, because the guards of their step have judged them. Each call leaves once.
 */
const publishWaiting = async (run: Run, held: readonly Chunk[]): Promise<void> => {
  const waiting = waitingCalls(run);
  const { shownCalls } = run.state;
  const ids = waiting.map(({ call }) => call.toolCallId).filter((id) => !shownCalls.includes(id));
  const calls = held.filter(isOfCall(ids));
  for (const call of calls) await publish(run, call);
  run.change({ shownCalls: [...shownCalls, ...ids.filter((id) => calls.some(isOfCall([id])))] });
  for (const call of waiting) await publish(run, waitingChunk(run, call));
};

/** Whether a chunk is the call, or a piece of the call, of one of these ids. */
const isOfCall =
  (ids: readonly string[]) =>
  ({ type, payload }: Chunk): boolean =>
    type.startsWith('tool-call') && ids.includes(String(fieldsIn(payload)['toolCallId'])); // all chunks of calls have it
