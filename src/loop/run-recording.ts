import type { RunEvent, TraceHeader } from '../../schemas/index.js';
import { recordedSettingsOf, traceVersion } from '../../schemas/trace-entry.js';
import type { Phase } from '../phase/row.js';
import { phaseRow } from '../phase/table.js';
import { processorsOf, type Plan } from '../pipeline/graph.js';
import { mapErrorTexts } from '../guard/map-texts.js';
import type { SecretsProcessor } from '../guard/secrets.js';
import { withoutChanges } from '../trace/redact-trace.js';
import { libraryName } from '../library.js';
import type { Position } from '../trace/recorder.js';
import type { MapText } from '../trace/plain-json.js';
import { charsIn, createTraceWriter, type TraceRecorder, type TraceWriter } from '../trace/trace-writer.js';
import { finishReasonOf } from './finalize-run.js';
import type { LoopPorts } from './ports.js';
import { recordGuard, shadowsIn, recordEmitted } from './record-guards.js';
import { recordPorts } from './record-ports.js';
import {
  acceptedSteps,
  positionOf,
  type Lanes,
  type Run,
  type RunOptions,
  type RunRecording,
  type RunState,
  type RunTracer,
} from './run.js';

/** A recording that has not started, with the ports and arrays that replace the run's own. */
export type Recording = ReturnType<typeof createRecording>;

/** The header fields that only the host provides. */
export type HeaderFacts = Pick<TraceHeader, 'threadId' | 'parent' | 'settings' | 'recordEdits' | 'memory'>;

interface RecordingOptions extends Pick<RunOptions, 'ports' | 'lanes' | 'runId'> {
  readonly recorder: TraceRecorder;
  /** Ids of the memory's processors: their edits of the conversation are recorded, because a replay does not call them. */
  readonly memoryIds?: ReadonlySet<string>;
}

/** The parts of a recorded run, and the writer that they have in common. */
interface RecordedParts extends Pick<RunOptions, 'lanes' | 'runId'>, Pick<RecordingOptions, 'memoryIds'> {
  readonly ports?: LoopPorts;
  readonly writer: TraceWriter;
  readonly conceal: MapText | undefined;
  /** The run, which has started when its model is called. */
  readonly runOf: () => Run | undefined;
}

/** Ports, arrays and listeners that record all that happens in them. */
export const recordedParts = ({ ports, lanes, runId, memoryIds, writer, conceal, runOf }: RecordedParts) => {
  const onOpened = (): void => {
    if (lanes.output?.has('outputStream'))
      writeJudgedPayload(writer, { phase: 'outputStream', lane: 'output', plan: lanes.output });
  };
  const shadows = new Set(Object.values(lanes).flatMap((plan) => (plan ? shadowsIn(plan.graph) : [])));
  const onToolEnd = async (outcome: unknown): Promise<void> => {
    const { scope } = runOf() ?? {};
    if (scope) await readAhead(lanes, scope, outcome);
  };
  const openSpan: RunTracer['openSpan'] = (call) =>
    recordGuard({ writer, memoryIds, shadows, concealsSecrets: conceal !== undefined }, call);
  return {
    ports: ports && recordPorts(ports, { runId, writer, runOf, onOpened, onToolEnd }),
    lanes: Object.fromEntries(
      Object.entries(lanes).map(([lane, plan]) => [lane, plan && judgedPayloadOf(writer, lane, plan)]),
    ) as Lanes, // the same arrays
    openSpan,
    show: recordEmitted(writer, conceal),
  };
};

/** Creates the recording of a run that will start with these ports and arrays. */
export const createRecording = ({ ports, lanes, runId, recorder, memoryIds }: RecordingOptions) => {
  let current: Run | undefined;
  const runOf = (): Run | undefined => current;
  const position = (): Position => (current ? positionOf(current) : { stepNumber: 0, attempt: 1 });
  const conceal = concealOf(lanes, runOf);
  const writer = createTraceWriter({ recorder, conceal, position, wallClock: ports.wallClock });
  const recorded = recordedParts({ ports, lanes, runId, memoryIds, writer, conceal, runOf });
  let stopFollowing = (): void => undefined;
  const startSegment = (run: Run): void => {
    current = run;
    writer.isSuspended = false;
  };
  return {
    ...recorded,
    ports: recorded.ports ?? ports,
    /** Conceals the secrets in a text before it is recorded. Undefined if no guard conceals any. */
    conceal,
    onEvent: (event: RunEvent): void => {
      const own = conceal ? withoutChanges(event) : event; // changes may contain pieces of secrets
      writer.write({ kind: 'event', event: writer.plain(own) });
    },
    /** Records the setup of the run; called once, before anything happens. */
    start: (run: Run, facts: HeaderFacts): void => {
      startSegment(run);
      writer.start(headerOf(run, facts));
      writeInput(writer, run.scope, run.state.list);
      stopFollowing = followSignal(writer, run);
    },
    resume: (run: Run, { toolCallId, answer }: Parameters<RunRecording['resume']>[1]): void => {
      startSegment(run);
      writer.write({ kind: 'resume', ...writer.place, toolCallId, answer: writer.plain(answer) });
      stopFollowing = followSignal(writer, run);
    },
    end: (run: Run, object: unknown): void => {
      stopFollowing();
      writeResult(writer, run, object);
      writer.isSuspended = true;
    },
  };
};

/** Removes the secrets that guards of a run conceal from a text. Undefined if no guard does. */
export const concealOf = (lanes: Lanes, runOf: () => Pick<Run, 'scope'> | undefined): MapText | undefined => {
  const concealers = concealersIn(lanes);
  if (concealers.length === 0) return undefined;
  return (text, label) => {
    const slot = runOf()?.scope.slot;
    return slot
      ? concealers.reduce((concealed, { id, conceal }) => conceal?.(concealed, slot(id).state, label) ?? concealed, text)
      : text;
  };
};

/** Lets guards read what is about to be recorded, if they must see it before they can conceal it. */
export const readAhead = async (lanes: Lanes, scope: Run['scope'], value: unknown): Promise<void> => {
  const readers = concealersIn(lanes).filter(({ readAhead: read }) => read);
  if (readers.length === 0) return;
  const texts: { text: string; label: string | undefined }[] = [];
  mapErrorTexts(value, (text, label) => {
    texts.push({ text, label });
    return text;
  });
  for (const { id, readAhead: read } of readers) await read?.(texts, scope.slot(id).state);
};

/** Guards with secrets that must not be recorded. */
export const concealersIn = (lanes: Lanes): SecretsProcessor[] =>
  [...new Set(Object.values(lanes).flatMap((plan): SecretsProcessor[] => (plan ? processorsOf(plan.graph) : [])))].filter(
    ({ conceal }) => conceal,
  );

const headerOf = (run: Run, facts: HeaderFacts): Omit<TraceHeader, 'seq' | 'at'> => {
  const { runId, agentId, mode, lanes, ports, settings } = run.options;
  const { models: _, ...limits } = run.options.limits; // the header lists the models
  return {
    kind: 'header',
    version: traceVersion,
    library: libraryName,
    runId,
    agentId,
    mode,
    pipelines: Object.fromEntries(Object.entries(lanes).flatMap(([lane, plan]) => (plan ? [[lane, plan.id]] : []))),
    limits,
    ...recordedSettingsOf(run.options),
    messageId: run.state.messageId,
    models: ports.models.map(({ model: { modelId, provider, specificationVersion } }) => ({
      modelId,
      provider,
      specificationVersion,
    })),
    tools: Object.keys(settings.tools ?? {}),
    threadId: facts.threadId,
    parent: facts.parent,
    recordEdits: facts.recordEdits,
    settings: facts.settings,
    memory: facts.memory,
    concealedFor: concealersIn(lanes).map(({ id }) => id),
  };
};

/** Records the conversation before a run. */
export const writeInput = (writer: TraceWriter, { host: { messages } }: Run['scope'], list: RunState['list']): void => {
  const adds: unknown[] = [];
  writer.write({
    kind: 'input',
    messages: messages.read(list, 'all').map(({ id, role, content }) => {
      const text = writer.plain(content.parts.map((part) => (part.type === 'text' ? part.text : '')).join(''));
      return { id, role, chars: charsIn(text), text };
    }),
    list: writer.refer(writer.freeze(messages.snapshot(list) as object), adds),
    adds,
  });
};

/** Records a cancel by the caller. Returns a function that removes the listener, because signals outlive runs. */
const followSignal = (writer: TraceWriter, { signal }: Run): (() => void) => {
  const recordCancel = (): void => writer.write({ kind: 'cancel', ...writer.place, reason: writer.plain(signal.reason) });
  if (signal.aborted) recordCancel();
  else signal.addEventListener('abort', recordCancel, { once: true });
  return () => signal.removeEventListener('abort', recordCancel);
};

const writeJudgedPayload = (writer: TraceWriter, { phase, lane, plan }: { phase: Phase; lane: string; plan: Plan }): void =>
  writer.write({ kind: 'asked', ...writer.place, phase, lane, pipelineId: plan.id });

/** A plan that records each judged payload, except the chunks of a stream. */
const judgedPayloadOf = (writer: TraceWriter, lane: string, plan: Plan): Plan => ({
  ...plan,
  run: (phase, data, scope) => {
    if (plan.has(phase) && phaseRow<Phase>(phase).cadence !== 'chunk') writeJudgedPayload(writer, { phase, lane, plan });
    return plan.run(phase, data, scope);
  },
});

const writeResult = (writer: TraceWriter, run: Run, object: unknown): void => {
  const { inputTokens, outputTokens, totalTokens } = run.state.usage;
  const finish = run.recorder.events.findLast((event) => event.type === 'run-finish');
  const { tripwire, error } = writer.plain({ tripwire: finish?.tripwire, error: finish?.error });
  const text = acceptedSteps(run)
    .map((step) => step.text)
    .join('');
  writer.write({
    kind: 'result',
    ...writer.place,
    status: run.state.status ?? 'failed',
    finishReason: finishReasonOf(run),
    text: writer.plain(text),
    ...(object !== undefined && { object: writer.plain(object) }),
    usage: { inputTokens, outputTokens, totalTokens },
    tripwire,
    error,
  });
};
