import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from '@mastra/core/agent';
import { RequestContext } from '@mastra/core/request-context';
import type { RunStatus } from '../../../schemas/index.js';
import { recordedSettingsOf, type TraceEntry } from '../../../schemas/trace-entry.js';
import { InterlockError } from '../../errors.js';
import type { CallResponse } from '../../loop/tool-call.js';
import { createRun, resumeRun, type Answered } from '../../loop/create-run.js';
import { createReplayStage, type ReplayEnd } from '../../loop/replay-ports.js';
import { positionOf, type Run, waitingCalls } from '../../loop/run.js';
import { concealersIn, createRecording, type Recording } from '../../loop/run-recording.js';
import { collectTraces, headerOf, traceOfKind, type Trace } from '../../trace/traces.js';
import { fromPlainJson, type MapText } from '../../trace/plain-json.js';
import { alignTrace } from '../../trace/replay.js';
import { insidesOfAgent, InterlockAgent } from '../agent/agent.js';
import { driveHere } from '../agent/callbacks.js';
import { runSegmentOf } from '../agent/run-segment.js';
import type { StructuredOutput } from '../structured-output/structured-output-options.js';
import { replaySetup, type ReplayGuards } from './replay-setup.js';

/** The result of a replay. */
export interface Replayed {
  /** The trace up to the end of the replay. With the same guards it equals the recorded trace, byte for byte. */
  readonly trace: Trace;
  /** The final status of the run. Undefined if the replay ended earlier. */
  readonly status: RunStatus | undefined;
  /** Accepted text. */
  readonly text: string;
  /** Set if the run reached a point that was not recorded: the rest is unknown. */
  readonly endedAt?: ReplayEnd;
}

interface ReplayOptions {
  /**
   * The `structuredOutput` of the recorded call. Default: the recorded one, with its schema as JSON schema. The messages about
   * mismatches may then differ, which has no effect on the recorded model.
   */
  readonly structuredOutput?: StructuredOutput;
}

/**
 * Runs a recorded run again, with the same or other guards. Models, tools, memory and people are not called; their recorded
 * responses are used. Guards are called, including guards with their own model. When a guard causes a request that was not
 * recorded, the replay ends there and reports it.
 *
 * Raises `trace/invalid`, `trace/redacted`, and `pipeline/…` for invalid guards.
 *
 * @param by an agent, whose guards are used; or guards, in the arrays of an agent
 *
 * @example
 * const { trace, endedAt } = await replay(recorded, { outputProcessors: stricter });
 * const { rows } = compareTraces(recorded, trace);
 */
export const replay = async (trace: Trace, by: InterlockAgent | ReplayGuards, options: ReplayOptions = {}): Promise<Replayed> => {
  const recorded = [...trace]; // shadows may still write to it
  checkReplayable(recorded);
  const called = by instanceof InterlockAgent ? insidesOfAgent(by) : undefined;
  const guards = called?.setup.guards ?? (by as ReplayGuards); // guards, if it is no agent
  const collected = collectTraces();
  const segment: CurrentSegment = { controller: new AbortController(), cancelIn: undefined, run: undefined };
  const stage = createReplayStage({
    position: () => (segment.run ? positionOf(segment.run) : { stepNumber: 0, attempt: 1 }),
    abort: (reason) => segment.controller.abort(reason),
    cancel: () => giveUp(segment),
    pause: () => sleep(2),
  });
  let isInStep = true; // while the lines match the record; afterwards the caller cancels when nothing happens any more
  const conceal: MapText = (text, label) => recording.conceal?.(text, label) ?? text;
  const setup = await replaySetup({ recorded, guards, stage, conceal, ...options });
  const recording: Recording = createRecording({
    ...setup,
    runId: setup.header.runId,
    recorder: (header) => {
      const take = collected.record(header);
      return (entry) => {
        take?.(entry);
        stage.onLine();
        isInStep &&= recorded[entry.seq]?.kind === entry.kind;
        if (isInStep && segment.cancelIn?.seq === entry.seq + 1) setImmediate(() => giveUp(segment));
      };
    },
  });
  await play({ recorded, setup, agent: called?.agent, segment, recording, hasEnded: () => stage.ended !== undefined });
  await shadowsOf(recorded, collected.trace, segment.run);
  return replayedOf(recorded, collected.trace, stage.ended);
};

/** The run segment being replayed. */
interface CurrentSegment {
  controller: AbortController;
  /** The point at which the caller cancels it. */
  cancelIn: RecordedSegment['cancel'];
  run: Run | undefined;
}

/** Cancels as the caller did in the record. Returns false if the caller did not. */
const giveUp = ({ cancelIn, controller }: CurrentSegment): boolean => {
  if (cancelIn) controller.abort(fromPlainJson(cancelIn.reason));
  return cancelIn !== undefined;
};

interface Playing {
  readonly recorded: Trace;
  readonly setup: Awaited<ReturnType<typeof replaySetup>>;
  readonly agent: Agent | undefined;
  readonly segment: CurrentSegment;
  readonly recording: Recording;
  readonly hasEnded: () => boolean;
}

/** Replays the run segments in order, as long as the run suspends at the recorded points. */
const play = async (playing: Playing): Promise<void> => {
  const { recorded, setup, segment, recording, hasEnded } = playing;
  for (const { resume, cancel } of segmentsOf(recorded)) {
    const rested = segment.run;
    const answered = resume && answerIn(resume, setup.reveal);
    if (resume && (hasEnded() || !rested || !answered || !waitsFor(rested, answered))) return;
    Object.assign(segment, { controller: new AbortController(), cancelIn: cancel });
    if (isBeforeAll(cancel, recorded)) giveUp(segment);
    const run = rested && answered ? resumeRun(rested, segmentFor(playing), answered) : startReplay(playing);
    segment.run = run;
    if (answered) recording.resume(run, answered);
    run.options.streamBuffer.drain();
    await driveHere(run);
  }
};

/** True if the caller canceled before the first event. */
const isBeforeAll = (cancel: RecordedSegment['cancel'], recorded: Trace): boolean =>
  cancel !== undefined && recorded[cancel.seq - 1]?.kind === 'input';

const answerIn = ({ toolCallId, answer }: NonNullable<RecordedSegment['resume']>, reveal: MapText | undefined): Answered => ({
  toolCallId,
  answer: fromPlainJson(answer, reveal) as Exclude<CallResponse, { kind: 'unasked' }>, // the recorded answer
});

const waitsFor = (run: Run, { toolCallId }: Answered): boolean =>
  run.state.status === 'suspended' && waitingCalls(run).some(({ call }) => call.toolCallId === toolCallId);

const segmentFor = ({ setup, segment, recording }: Playing) => {
  const { mode } = setup.header;
  const options = { abortSignal: segment.controller.signal };
  return runSegmentOf({ mode, options, guards: {}, recorded: recording?.show }, () => segment.run);
};

const startReplay = (playing: Playing): Run => {
  const { setup, agent, recording } = playing;
  const { header, list, settings, objectPlan } = setup;
  const { runId, agentId, limits } = header;
  const run = createRun({
    runId,
    agentId,
    ...segmentFor(playing),
    list,
    lanes: recording.lanes,
    ports: recording.ports,
    settings,
    objectPlan,
    limits: { ...limits, models: recording.ports.models.length },
    tracer: setup.tracer,
    recording,
    ...recordedSettingsOf(header),
    context: { agent: agent as never, requestContext: new RequestContext(), tracingContext: undefined }, // typed with its own generics
  });
  const { threadId, parent, recordEdits, memory } = header;
  for (const { id, expectStandIns } of concealersIn(setup.lanes)) expectStandIns?.(run.scope.slot(id).state);
  recording.start(run, { threadId, parent, recordEdits, settings: header.settings, memory });
  return run;
};

/** Waits for shadow guards, up to the number of recorded verdicts. */
const shadowsOf = async (recorded: Trace, replayed: Trace, run: Run | undefined): Promise<void> => {
  const count = (trace: Trace) => traceOfKind(trace, 'event').filter(({ event }) => event.type === 'guard-shadow').length;
  while (run && count(replayed) < count(recorded) && run.recorder.openShadows > 0) await sleep(2);
};

const replayedOf = (recorded: Trace, replayed: Trace, endedAt: ReplayEnd | undefined): Replayed => {
  const trace = alignTrace(endedAt ? upToItsEnd(replayed) : replayed, recorded);
  const result = endedAt ? undefined : traceOfKind(trace, 'result').at(-1);
  return { trace, status: result?.status, text: result?.text ?? '', ...(endedAt && { endedAt }) };
};

/** The trace before the end of the replay. */
const upToItsEnd = (replayed: Trace): Trace => {
  const end = replayed.findLast(({ kind }) => kind === 'cancel');
  return replayed.slice(0, end?.seq);
};

const checkReplayable = (recorded: Trace): void => {
  headerOf(recorded);
  const hidden = recorded.find((entry) => entry.kind === 'prompt' && !entry.request);
  if (hidden) throw new InterlockError('trace/redacted', { path: `seq ${hidden.seq}` });
};

/** The segments of a recorded run, in order. */
const segmentsOf = (trace: Trace): RecordedSegment[] => {
  const ends = traceOfKind(trace, 'result').map(({ seq }) => seq);
  const resumes = traceOfKind(trace, 'resume');
  const cancels = traceOfKind(trace, 'cancel');
  return Array.from({ length: resumes.length + 1 }, (_, index) => {
    const [from, to] = [ends[index - 1] ?? -1, ends[index] ?? Infinity];
    return { resume: resumes[index - 1], cancel: cancels.find(({ seq }) => seq > from && seq < to) };
  });
};

type OfKind<K extends TraceEntry['kind']> = Extract<TraceEntry, { kind: K }>;

/** One segment of a recorded run: from its start, or from an answer, to its end or suspension. */
interface RecordedSegment {
  /** The answer that resumes the run; undefined in the first segment. */
  readonly resume: OfKind<'resume'> | undefined;
  /** The cancellation by the caller. */
  readonly cancel: OfKind<'cancel'> | undefined;
}
