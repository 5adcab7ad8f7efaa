import { InterlockError, isInterlockError } from '../errors.js';
import type { RunStatus, StepReason, Tripwire } from '../../schemas/index.js';
import type { Phase } from '../phase/row.js';
import { phaseRow } from '../phase/table.js';
import type { StepRecord, StepTripwire } from './ports.js';
import { acceptedSteps, agentChunk, release, type Attempt, type Run } from './run.js';
import { recordStep, rejectRecord } from './step-record.js';

/** Takes back what an attempt has already let out. */
export const retract = async (run: Run, { answer }: Attempt): Promise<void> => {
  if (answer.partIds.length === 0) return;
  const partIds = [...answer.partIds];
  const { attempt, stepNumber } = run.position;
  run.recorder.record({ type: 'retract', partIds });
  await release(run, {
    type: 'data-interlock-retract',
    runId: run.options.runId,
    from: 'AGENT',
    data: { attempt, stepNumber, partIds },
  });
};

/** Carries out what the machine decided about the attempt: it is told as finished, or taken back. */
export const closeAttempt = async (run: Run, reason: StepReason): Promise<void> => {
  const { attempt } = run;
  if (!attempt) return;
  const record = (attempt.record ??= recordStep(run, attempt));
  record.reason = reason;
  if (reason === 'retry' || reason === 'tripwire') await reject(run, attempt, record);
  if (attempt.closed) return;
  attempt.closed = true;
  run.recorder.record({ type: 'step-finish', reason });
  if (attempt.started) await release(run, stepFinish(run, record, reason));
  await run.options.onStepFinish?.(record);
};

/** A rejected attempt leaves nothing behind: not in the conversation, not in the results, not at the reader's. */
const reject = async (run: Run, attempt: Attempt, record: StepRecord): Promise<void> => {
  const tripwire = stepTripwire(run);
  const wholeResult = run.stop && record.reason === 'tripwire' && phaseRow(run.stop.phase as Phase).retryLeadsTo === 'extra-step';
  for (const step of wholeResult ? acceptedSteps(run) : [record]) rejectRecord(step, tripwire);
  if (!run.steps.includes(record)) run.steps.push(record);
  if (wholeResult) run.backToFirstStep();
  else run.backToStart();
  if (attempt.started) await retract(run, attempt);
};

const stepFinish = (run: Run, record: StepRecord, reason: StepReason) => ({
  ...agentChunk(run, 'step-finish', {
    id: run.messageId,
    messageId: run.messageId,
    providerMetadata: record.providerMetadata,
    totalUsage: { ...run.usage },
    response: record.response,
    stepResult: { reason: chunkReason(record, reason), isContinued: reason === 'tool-calls' || reason === 'retry', warnings: record.warnings },
    output: { text: record.text, toolCalls: record.toolCalls, usage: record.usage, steps: [...run.steps] },
    metadata: { request: record.request, providerMetadata: record.providerMetadata },
    messages: { all: [], user: [], nonUser: [] },
    ...(record.tripwire && { tripwire: record.tripwire }),
  }),
  metadata: { attempt: record.attempt },
});

/** A finished step tells the model's own reason (`length`, `content-filter`, …); a rejected one tells the loop's. */
const chunkReason = ({ finishReason }: StepRecord, reason: StepReason): string =>
  reason === 'stop' || reason === 'tool-calls' ? (finishReason ?? reason) : reason;

const stepTripwire = ({ stop }: Run): StepTripwire | undefined =>
  stop && stop.kind !== 'unavailable'
    ? { reason: stop.reason, retry: stop.kind === 'retry', metadata: stop.metadata, processorId: stop.processorId }
    : undefined;

/** The tripwire of a run that ended as one. */
export const tripwireOf = ({ stop }: Run): Tripwire | undefined => {
  if (!stop || stop.kind === 'unavailable') return undefined;
  const { reason, metadata, processorId, phase, path } = stop;
  return { reason, retry: stop.kind === 'retry', metadata, processorId, phase, path };
};

/** How a run ends, told once: the same status in the events, the chunks and the result. */
export const conclude = async (run: Run, status: RunStatus): Promise<void> => {
  run.status = status;
  run.options.outlet.drain(); // the last few chunks wait for nobody, so that every run ends
  const tripwire = status === 'tripwire' ? tripwireOf(run) : undefined;
  if (status === 'canceled') run.error ??= canceledError(run);
  if (tripwire) await release(run, agentChunk(run, 'tripwire', tripwire));
  if (status === 'failed') await release(run, agentChunk(run, 'error', { error: run.error }));
  if (status === 'canceled') await release(run, agentChunk(run, 'abort', { reason: messageOf(run.error) }));
  await release(run, finishChunk(run));
  run.recorder.record({
    type: 'run-finish',
    status,
    tripwire,
    error: status === 'failed' || status === 'canceled' ? errorFact(run.error) : undefined,
    retries: run.retries,
  });
  run.options.outlet.close();
};

/** The reason that results give: the model's own after an accepted answer, `other` where a guard or the caller ended it. */
export const finishReasonOf = (run: Run): string => {
  switch (run.status) {
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
      return run.status satisfies never;
  }
};

const finishChunk = (run: Run) => {
  const last = acceptedSteps(run).at(-1);
  return agentChunk(run, 'finish', {
    stepResult: { reason: finishReasonOf(run), isContinued: false, warnings: last?.warnings ?? [] },
    output: { usage: { ...run.usage }, steps: [...run.steps] },
    metadata: { request: last?.request, providerMetadata: last?.providerMetadata, status: run.status },
    providerMetadata: last?.providerMetadata,
    messages: { all: [], user: [], nonUser: [] },
  });
};

const canceledError = (run: Run): InterlockError => new InterlockError('run/canceled', { cause: run.signal.reason });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const errorFact = (error: unknown) => ({
  name: error instanceof Error ? error.name : 'Error',
  message: messageOf(error),
  code: isInterlockError(error) ? error.code : undefined,
});
