import { klona } from 'klona/full';
import type { RunEvent } from '../../schemas/index.js';
import { createResponse } from './response.js';
import { createRunScope, type GuardReport, type GuardSpan, type Reports, type RunScope } from '../phase/scope.js';
import { copyPlain } from '../phase/plain-data.js';
import { phaseRow } from '../phase/table.js';
import { createRecorder } from '../trace/recorder.js';
import { startContext } from './machine.js';
import {
  changeAttempt,
  isOver,
  positionOf,
  type Attempt,
  type AttemptReply,
  type Run,
  type RunOptions,
  type RunState,
  type RunObserver,
  type Journal,
} from './run.js';
import { noUsage } from './step-record.js';
import { checkDataPart, persistedPart } from './emit.js';
import { emitJudged } from './judge.js';
import type { Chunk, ModelEntry } from './ports.js';
import { type CallResponse, setCall } from './tool-call.js';
import { readState, resumed, writeState } from './state/run-state.js';

/** The state at the start of a run. */
const startOf = ({ ports, list, limits, before }: RunOptions): RunState => ({
  counters: startContext({ ...limits, ...before?.counts }),
  status: undefined,
  isResumed: false,
  list,
  stop: undefined,
  error: undefined,
  feedback: undefined,
  baseSystem: [],
  start: undefined,
  firstStep: undefined,
  acceptedInput: undefined,
  overlapGuards: [],
  attempt: undefined,
  steps: before?.steps ?? [],
  accepted: [],
  lastParts: [],
  startCounts: [],
  editedFrom: undefined,
  isResultAccepted: false,
  usage: noUsage,
  messageId: ports.createId(),
  rejectedWords: [],
  reusable: [],
  shownCalls: [],
  held: { chunks: [], from: 0 },
});

/** Creates a run without starting it. */
export const createRun = (options: RunOptions): Run => {
  const { ports, runId, before, abortSignal: signal = new AbortController().signal } = options;
  const observers = [options.recording, options.tracer].filter((one) => one !== undefined);
  let state = startOf(options);
  const recorder = createRecorder({
    runId,
    position: () => positionOf(run),
    wallClock: ports.wallClock,
    onEvent: listener(observers, options, () => run),
  });
  const slots: Run['slots'] = before?.slots ?? new Map();
  const scope = createRunScope({
    writer: { custom: (data) => writeCustom(run, data) }, // the run exists by the time the first hook is called
    ...options.context,
    runId,
    host: ports.host,
    slots,
    now: ports.now,
    heedsRulings: true,
    retryCount: () => state.counters.retries,
    reports: reportsOf(recorder, options, () => run),
    abortSignal: signal,
    messageId: () => state.messageId,
    addOverlapGuard: (guard) => run.change({ overlapGuards: [...state.overlapGuards, guard] }),
    openSpan: openSpans(observers),
  });
  const run: Run = {
    options,
    scope,
    slots,
    recorder,
    journal: options.journal ?? noJournal,
    signal,
    usedPartIds: new Set(),
    givenCallIds: new Map(),
    get state() {
      return state;
    },
    change: (fields) => void (state = { ...state, ...fields }),
  };
  return run;
};

/** A new attempt with the settings of the run's call. */
export const createAttempt = (run: Run): Attempt => ({
  settings: { ...run.options.settings },
  entry: run.options.ports.models[run.state.counters.modelIndex] as ModelEntry, // the machine counts no further than there are models
  prompt: undefined,
  cached: undefined,
  ahead: undefined,
  modelCall: undefined,
  ...unanswered(),
  request: undefined,
  warnings: [],
  finishedCalls: [],
  written: [],
  partCount: 0,
  place: undefined,
  closed: false,
  record: undefined,
});

/** The state of an attempt before its model has responded; also before the call is repeated. */
export const unanswered = (): AttemptReply => ({
  answer: createResponse(),
  response: {},
  calls: new Map(),
  leftChunks: [],
  originalWords: [],
  heldResults: [],
  hasResponded: false,
  originals: {},
  wasEdited: false,
  hasFallen: false,
  finish: undefined,
});

/** Code that combines several runs also gets the reports of each. */
const reportsOf = (recorder: Reports, { reports }: RunOptions, runOf: () => Run): Reports => {
  const both =
    <R>(own: (report: R) => void, other: ((report: R) => void) | undefined) =>
    (report: R): void => {
      other?.(report);
      own(report);
    };
  const reportGuard = both(recorder.reportGuard, reports?.reportGuard);
  return {
    openShadow: recorder.openShadow,
    reportGuard: (report) => {
      markEdited(runOf(), report);
      reportGuard(report);
    },
    reportConflict: both(recorder.reportConflict, reports?.reportConflict),
    reportStale: both(recorder.reportStale, reports?.reportStale),
    reportLateAbort: both(recorder.reportLateAbort, reports?.reportLateAbort),
  };
};

/** Marks an edited response: its metadata may quote removed content. */
const markEdited = (run: Run, { verdict, author }: GuardReport): void => {
  const { attempt } = run.state;
  const isEdit = verdict.kind === 'edit' && phaseRow(author.phase).lane === 'output';
  if (isEdit && attempt && !attempt.wasEdited) changeAttempt(run, { wasEdited: true });
};

/** Calls the run's observers with each event first, independently of other listeners. */
const listener =
  (observers: readonly RunObserver[], { onEvent }: RunOptions, runOf: () => Run) =>
  (event: RunEvent): void => {
    try {
      for (const observer of observers) observer.onEvent(event, runOf());
    } finally {
      onEvent?.(event, runOf());
    }
  };

/** Opens a span with each observer; the guard gets the scope of the last one. Undefined without observers. */
const openSpans = (observers: readonly RunObserver[]): RunScope['openSpan'] => {
  if (observers.length === 0) return undefined;
  return (call) => {
    const spans = observers.map(({ openSpan }) => openSpan(call));
    const end: GuardSpan['end'] = (verdict) => {
      for (const span of spans) span.end(verdict);
    };
    return { scope: spans.at(-1)?.scope ?? call.scope, end };
  };
};

/**
 * A guard's `writer.custom()`: writes a data part, which guards that read data parts judge like any chunk.
 *
 * Raises `phase/invalid-data-part`. If a guard stops on the part, the writer's call throws that guard's tripwire. The run stops even if
 * the writer catches it.
 */
const writeCustom = async (run: Run, chunk: Chunk): Promise<void> => {
  checkDataPart(chunk);
  if (isOver(run)) return;
  if (run.state.stop) throw stopError(run); // a sibling that was stopped with its block may still be running
  const { outcome, emitted } = await emitJudged(run, { runId: run.options.runId, from: 'AGENT', ...chunk });
  if (!outcome) return void run.state.attempt?.written.push(...emitted.flatMap(persistedPart));
  run.state.attempt?.modelCall?.hangUp(); // the provider may be silent
  throw stopError(run);
};

/** The current stop, as the error for the writer of the data part. */
const stopError = (run: Run): unknown => {
  const { stop, error } = run.state;
  if (!stop || stop.kind === 'unavailable') return error;
  const { reason, metadata, processorId } = stop;
  return run.options.ports.host.createTripWire({ reason, metadata, processorId, retry: stop.kind === 'retry' });
};

/** The options of one run segment: from the start, or a call's response, to the end or the next suspension. */
export type RunSegment = Pick<RunOptions, 'mode' | 'streamBuffer' | 'abortSignal' | 'onEvent' | 'onStepFinish'> &
  Partial<Pick<RunOptions, 'settings'>>;

/** The response to a waiting call. */
export interface Answered {
  readonly toolCallId: string;
  readonly answer: Exclude<CallResponse, { kind: 'unasked' }>;
}

/**
 * The next segment of a suspended run. It keeps the guards, tools, model, limits and counters of the first segment. It is a
 * separate object: late changes by holders of the first segment have no effect, and this segment does not change what they hold.
 */
export const resumeRun = (suspended: Run, segment: RunSegment, answered: Answered): Run => {
  const run = createRun({ ...suspended.options, ...segment });
  const state = readState(suspended);
  writeState(run, { ...resumed(state), steps: klona(state.steps) });
  applyCallResponse(run, answered);
  return run;
};

/** Applies the response to a call of a suspended run, so that the run can continue. */
export const applyCallResponse = (run: Run, { toolCallId, answer: response }: Answered): void => {
  run.options.unfinishedTurn?.recordSaved(run.state.list);
  if (run.state.attempt) setCall(run.state.attempt.calls, toolCallId, { waiting: undefined, answer: response });
  run.recorder.record({ type: 'run-resume', toolCallId, answer: response.kind });
};

/** A run that lives as long as its process: one checkpointed section. */
export const noJournal: Journal = {
  isFenced: false,
  checkpoint: (_run, _key, body) => body(),
  part: (_key, body) => body(),
  copyChunk: copyPlain,
  claim: async () => true,
  mayEnd: () => false,
  catchUp: () => undefined,
};
