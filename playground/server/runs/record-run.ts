import { traceVersion } from '../../../schemas/trace-entry.js';
import type { RunEvent, RunStatus, Tripwire } from '../../../schemas/index.js';
import { libraryName } from '../../../src/library.js';
import { errorFact } from '../../../src/loop/finalize-run.js';
import { positionOf, type Lanes, type Run as LoopRun } from '../../../src/loop/run.js';
import { concealersIn, concealOf, readAhead, recordedParts, writeInput } from '../../../src/loop/run-recording.js';
import { phaseRow } from '../../../src/phase/table.js';
import { recorderOf } from '../../../src/trace/observers.js';
import { parentCall } from '../../../src/trace/parent-call.js';
import { createRecorder, type Position, type Recorder } from '../../../src/trace/recorder.js';
import { createTraceWriter, type TraceRecorder, type TraceWriter } from '../../../src/trace/trace-writer.js';
import { openConversation } from '../../../src/ai-sdk/conversation.js';
import { limitsOf } from '../../../src/ai-sdk/guard-options.js';
import type { RunTrace } from '../../../src/ai-sdk/run-trace.js';
import type { Run } from '../../../src/ai-sdk/run.js';
import type { Chunk } from '../../../src/ai-sdk/spec.js';

/** Opens the trace of a guarded run for its own recorder and the observers of the process; undefined if there are none. */
export const openTrace = (run: Run, ownRecorder?: TraceRecorder): RunTrace | undefined => {
  const [recorder, { id: runId, plan }] = [recorderOf(ownRecorder), run];
  if (!recorder) return undefined;
  const lanes: Lanes = { input: plan, output: plan, error: plan, memory: undefined };
  const conceal = concealOf(lanes, () => run);
  let loopOf: (() => LoopRun) | undefined;
  let shownAt: Position | undefined;
  const position = () => shownAt ?? positionIn(run, loopOf?.());
  const base = { position, wallClock: Date.now };
  const writer = createTraceWriter({ ...base, recorder, conceal });
  const events = createRecorder({
    ...base,
    runId,
    onEvent: (event) => writer.write({ kind: 'event', event: writer.plain(event) }),
  });
  const recorded = { lanes, runId, writer, conceal, runOf: () => loopOf?.() };
  const { openSpan, show } = recordedParts(recorded);
  const held = holdChunks((chunk, at) => {
    shownAt = at;
    show(chunk);
    shownAt = undefined;
  });
  const steps = followSteps(events);
  const total = { text: '', inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  const start = startOf(run, { lanes, writer, events, steps });
  let openCalls = 0;
  const end: RunTrace['end'] = (failure) => {
    if (start.hasBegun && !writer.isSuspended) writeEnd(run, { writer, events, held, steps, failure, total });
  };
  return {
    reports: events,
    openSpan,
    show: (chunk) => (run.state.holdsResult ? held.push(chunk, position()) : show(chunk)),
    begin: start.begin,
    enter: steps.enter,
    closeStep: steps.close,
    asked: (phase) => {
      const { lane } = phaseRow(phase);
      if (plan.has(phase)) writer.write({ kind: 'asked', ...writer.place, phase, lane, pipelineId: plan.id });
    },
    follow: ({ ports, lanes: given }, of) => {
      steps.close();
      loopOf = of; // it has no events yet
      openCalls += 1;
      const own = recordedParts({ ...recorded, lanes: given, ports });
      return { ports: own.ports ?? ports, lanes: own.lanes, tracer: { openSpan, onEvent: steps.follow, ids: noIds } };
    },
    endCall: ({ state: { status, steps: done, usage } }) => {
      openCalls -= 1;
      if (status === 'success') total.text += done.at(-1)?.text ?? '';
      for (const name of counts) total[name] += usage[name] ?? 0;
    },
    startTool: recordTools(run, { lanes, writer, events }),
    endCalls: (failure) => (openCalls > 0 ? undefined : end(failure)),
    end,
  };
};

/** Chunks that leave once the run is accepted, each with the position in which it was made. */
const holdChunks = (show: (chunk: Chunk, at: Position) => void) => {
  const held: [Chunk, Position][] = [];
  return {
    push: (chunk: Chunk, at: Position): void => void held.push([chunk, at]),
    release: (): void => {
      for (const one of held.splice(0)) show(...one);
    },
  };
};

const positionIn = ({ state: { stepNumber } }: Run, loop: LoopRun | undefined): Position => {
  const at = loop && positionOf(loop);
  return at?.stepNumber === stepNumber ? at : { stepNumber, attempt: 1 };
};

interface End extends Pick<Recording, 'writer' | 'events'> {
  readonly held: ReturnType<typeof holdChunks>;
  readonly steps: Steps;
  readonly failure: { readonly error: unknown } | undefined;
  /** The accepted text, and the tokens of all calls. */
  readonly total: {
    readonly text: string;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly totalTokens: number;
  };
}

const writeEnd = (run: Run, { writer, events, held, steps, failure, total: { text, ...usage } }: End): void => {
  const { tripwire, retries } = run;
  const status = statusOf(run, failure);
  if (status === 'success') held.release();
  steps.end(status);
  const cause = tripwire ? { tripwire: factsOf(tripwire) } : failure && { error: errorFact(failure.error) };
  const ended = writer.plain({ status, ...cause });
  events.record({ type: 'run-finish', ...ended, retries });
  writer.write({ kind: 'result', ...writer.place, ...ended, finishReason: status, text: writer.plain(text), usage });
  writer.isSuspended = true;
};

const counts = ['inputTokens', 'outputTokens', 'totalTokens'] as const;
const noIds = { traceId: undefined, spanId: undefined };

const statusOf = ({ tripwire, signal }: Run, failure: { readonly error: unknown } | undefined): RunStatus => {
  if (tripwire) return 'tripwire';
  if (!failure) return signal.aborted ? 'canceled' : 'success';
  const { error } = failure;
  const isAbort = signal.aborted ? error === signal.reason : error instanceof DOMException && error.name === 'AbortError';
  return isAbort ? 'canceled' : 'failed';
};

const factsOf = ({ reason, metadata, processorId, phase, path }: NonNullable<Run['tripwire']>): Tripwire => ({
  reason,
  processorId,
  phase,
  path,
  ...(metadata !== undefined && { metadata }),
});

interface Steps {
  /** Enters a state. */
  enter(state: string): void;
  /** Ends a step with tools. */
  close(): void;
  /** Ends the run, and a step whose tools were stopped. */
  end(status: RunStatus): void;
  /** Records an event of a call of the model. */
  follow(event: RunEvent): void;
}

/** Events that the guarded run has itself: it also has guards and an end outside of the loop. */
const ofRun: ReadonlySet<string> = new Set<RunEvent['type']>([
  'run-start',
  'run-finish',
  'guard',
  'guard-bypass',
  'late-abort',
  'merge-conflict',
  'stale-verdict',
]);

/** The last states of a run of the loop, which the guarded run enters at its own end. */
const lastStates: ReadonlySet<string> = new Set(['success', 'tripwire', 'failed', 'canceled', 'suspended']);

/** Joins the runs of the loop to one run. The AI SDK runs tools after the end of a run of the loop: they belong to its last step. */
const followSteps = (events: Recorder): Steps => {
  const afterTools: RunEvent[] = [];
  let hasTools = false;
  const record = (event: RunEvent): void => {
    const { runId: _id, seq: _seq, at: _at, stepNumber: _step, attempt: _attempt, ...fact } = event;
    if (event.type === 'state-enter' || event.type === 'step-finish') events.flush(); // the stream is over
    events.record(fact);
  };
  const close = (): void => {
    hasTools = false;
    for (const event of afterTools.splice(0)) record(event);
  };
  const enter = (state: string): void => {
    close();
    events.flush();
    events.record({ type: 'state-enter', state });
  };
  return {
    close,
    enter,
    end: (status) => {
      const isStopped = status !== 'success' && afterTools.splice(0).length > 0;
      if (isStopped) events.flush();
      if (isStopped) events.record({ type: 'step-finish', reason: status === 'tripwire' ? 'tripwire' : 'error' });
      enter(status);
    },
    follow: (event) => {
      const state = event.type === 'state-enter' ? event.state : '';
      if (ofRun.has(event.type) || lastStates.has(state)) return;
      if (!hasTools) record(event);
      else if (state === '' || state === 'step.deciding') afterTools.push(event);
      hasTools ||= state === 'step.tools';
    },
  };
};

interface Recording {
  readonly lanes: Lanes;
  readonly writer: TraceWriter;
  readonly events: Recorder;
}

/** Starts the trace with the caller's messages, once. */
const startOf = (run: Run, { lanes, writer, events, steps }: Recording & { readonly steps: Steps }) => {
  const { id: runId, agentId, plan, options, scope, tools } = run;
  const parent = parentCall();
  const start = {
    hasBegun: false,
    begin: async (messages: Parameters<RunTrace['begin']>[0]): Promise<void> => {
      writer.isSuspended = false;
      if (start.hasBegun) return;
      start.hasBegun = true;
      const { list } = openConversation({ scope }, messages);
      await readAhead(lanes, scope, scope.host.messages.read(list, 'all'));
      const { models: _models, ...limits } = limitsOf(options);
      writer.start({
        kind: 'header',
        version: traceVersion,
        library: libraryName,
        runId,
        agentId,
        parent,
        limits,
        mode: 'stream',
        pipelines: { input: plan.id, output: plan.id },
        toolConcurrency: Number.MAX_SAFE_INTEGER,
        messageId: runId,
        models: [],
        tools: [...tools.keys()],
        settings: {},
        concealedFor: concealersIn(lanes).map(({ id }) => id),
      });
      writeInput(writer, scope, list);
      const { maxSteps, maxRetries } = limits;
      events.record({ type: 'run-start', agentId, mode: 'stream', maxSteps, maxRetries });
      steps.enter('input');
    },
  };
  return start;
};

const recordTools =
  ({ scope }: Run, { lanes, writer, events }: Recording): RunTrace['startTool'] =>
  ({ toolCallId, toolName, args }) => {
    const startedAt = scope.now();
    events.flush();
    events.record({ type: 'tool-start', toolCallId, toolName });
    return async (ended, value) => {
      await readAhead(lanes, scope, value);
      const own = { args: writer.plain(args), outcome: writer.plain(value) };
      writer.write({ kind: 'tool', ...writer.place, toolCallId, toolName, ended, ...own });
      events.record({ type: 'tool-finish', toolCallId, toolName, outcome: ended, durationMs: scope.now() - startedAt });
    };
  };
