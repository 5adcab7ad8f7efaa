import type { MessageList } from '@mastra/core/agent/message-list';
import { traceVersion, type RunEvent, type TraceHeader } from '../../schemas/index.js';
import type { GuardCall, GuardSpan, RunScope } from '../phase/scope.js';
import type { Phase } from '../phase/row.js';
import { phaseRow } from '../phase/table.js';
import type { Plan } from '../pipeline/compile.js';
import { childrenOf, type GraphNode } from '../pipeline/graph.js';
import type { Author, Verdict } from '../verdict.js';
import { isSameFrozen, type Frozen } from '../trace/contents.js';
import { libraryName } from '../trace/library-version.js';
import type { Position } from '../trace/run-fact.js';
import type { MapText } from '../trace/plain-json.js';
import { createTraceWriter, noteOf, type TraceRecorder, type TraceWriter } from '../trace/trace-writer.js';
import { finishReasonOf } from './ending.js';
import { partIdOf } from './part-ids.js';
import type { Chunk, LoopPorts } from './ports.js';
import { recordPorts, withoutHeaders } from './record-ports.js';
import { acceptedSteps, type Lanes, type Run, type RunOptions, type RunRecording, type RunTracer } from './run.js';

/** A recording that has not begun, with what the run is to be given in place of its own. */
export interface Recording extends RunRecording {
  readonly ports: LoopPorts;
  readonly lanes: Lanes;
  /** Writes how the run is set up; called once, before anything happens. */
  begin(run: Run, facts: HeaderFacts): void;
}

/** What only the host knows of a run. */
export type HeaderFacts = Pick<TraceHeader, 'threadId' | 'settings' | 'concealedFor' | 'recordEdits' | 'memory'>;

export interface RecordingOptions extends Pick<RunOptions, 'ports' | 'lanes' | 'runId'> {
  readonly recorder: TraceRecorder;
  /** Ids of the processors that are the memory's: what they do to a conversation is kept, for they are not asked in a replay. */
  readonly memoryIds?: ReadonlySet<string>;
  readonly conceal?: MapText;
}

/** Makes the recording of a run that is to be begun with these ports and lanes. */
export const createRecording = ({ ports, lanes, runId, recorder, memoryIds, conceal }: RecordingOptions): Recording => {
  let current: Run | undefined;
  const position = (): Position => current?.position ?? { stepNumber: 0, attempt: 1 };
  const writer = createTraceWriter({ recorder, conceal, position, wallClock: ports.wallClock });
  const onOpened = (): void => {
    if (lanes.output?.has('outputStream')) writeAsked(writer, { phase: 'outputStream', lane: 'output', plan: lanes.output });
  };
  const usedPartIds = (): ReadonlySet<string> => current?.usedPartIds ?? new Set();
  const shadows = new Set(Object.values(lanes).flatMap((plan) => (plan ? shadowsIn(plan.graph) : [])));
  const sit = (run: Run): void => {
    current = run;
    writer.isResting = false;
  };
  return {
    ports: recordPorts(ports, { runId, writer, usedPartIds, onOpened }),
    lanes: Object.fromEntries(Object.entries(lanes).map(([lane, plan]) => [lane, plan && askedOf(writer, lane, plan)])) as Lanes, // the same lanes
    openSpan: (call) => lookingOn({ writer, memoryIds, shadows }, call),
    hear: (event) => writer.write({ kind: 'event', event: writer.plain(event) as typeof event }), // events are plain data
    show: (chunk) => writeLeft(writer, chunk),
    begin: (run, facts) => {
      sit(run);
      writer.begin(headerOf(run, facts));
      writeInput(writer, run);
      followSignal(writer, run);
    },
    resume: (run, { toolCallId, answer }) => {
      sit(run);
      writer.write({ kind: 'resume', ...writer.place, toolCallId, answer: writer.plain(answer) });
      followSignal(writer, run);
    },
    end: (run, object) => {
      writeResult(writer, run, object);
      writer.isResting = true;
    },
  };
};

/** Both are told of everything; a guard is handed the scope of the first one's span. */
export const joinTracers = (tracer: RunTracer | undefined, recording: RunRecording | undefined): RunTracer | undefined => {
  if (!recording) return tracer;
  const { openSpan = recording.openSpan, ids = noIds } = tracer ?? {};
  return {
    hear: (event, run) => {
      recording.hear(event, run);
      tracer?.hear(event, run);
    },
    openSpan: tracer
      ? (call) => {
          const [looking, span] = [recording.openSpan(call), openSpan(call)];
          return {
            scope: span.scope,
            end: (verdict) => {
              looking.end(verdict);
              span.end(verdict);
            },
          };
        }
      : recording.openSpan,
    ids,
  };
};

const noIds: RunTracer['ids'] = { traceId: undefined, spanId: undefined };

const headerOf = (run: Run, facts: HeaderFacts): Omit<TraceHeader, 'seq' | 'at'> => {
  const { runId, agentId, mode, limits, hold, maxHeldChars, toolConcurrency, lanes, ports, settings, persistence } = run.options;
  return {
    kind: 'header',
    version: traceVersion,
    library: libraryName,
    runId,
    agentId,
    mode,
    pipelines: Object.fromEntries(Object.entries(lanes).flatMap(([lane, plan]) => (plan ? [[lane, plan.id]] : []))),
    limits,
    hold,
    maxHeldChars,
    toolConcurrency,
    messageId: run.messageId,
    models: ports.models.map(({ model: { modelId, provider, specificationVersion } }) => ({
      modelId,
      provider,
      specificationVersion,
    })),
    tools: Object.keys(settings.tools ?? {}),
    persistence: persistence && (Object.fromEntries(Object.entries(persistence)) as Record<string, string>), // its values are words
    threadId: facts.threadId,
    recordEdits: facts.recordEdits,
    settings: facts.settings,
    memory: facts.memory,
    concealedFor: facts.concealedFor,
  };
};

const writeInput = (writer: TraceWriter, { list, scope }: Run): void => {
  const { messages } = scope.host;
  const adds: unknown[] = [];
  writer.write({
    kind: 'input',
    messages: messages.read(list, 'all').map(({ id, role, content }) => {
      const text = writer.plain(content.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')) as string;
      return { id, role, chars: [...text].length, text };
    }),
    list: writer.refer(writer.freeze(messages.snapshot(list) as object), adds),
    adds,
  });
};

const followSignal = (writer: TraceWriter, { signal }: Run): void => {
  const tell = (): void => writer.write({ kind: 'cancel', ...writer.place, reason: writer.plain(signal.reason) });
  if (signal.aborted) tell();
  else signal.addEventListener('abort', tell, { once: true });
};

interface Asked {
  readonly phase: Phase;
  readonly lane: string;
  readonly plan: Plan;
}

const writeAsked = (writer: TraceWriter, { phase, lane, plan }: Asked): void =>
  writer.write({ kind: 'asked', ...writer.place, phase, lane, pipelineId: plan.id });

/** A plan that tells when its guards are asked; about each chunk of a stream it tells nothing. */
const askedOf = (writer: TraceWriter, lane: string, plan: Plan): Plan => ({
  ...plan,
  run: (phase, data, scope) => {
    if (plan.has(phase) && phaseRow<Phase>(phase).cadence !== 'chunk') writeAsked(writer, { phase, lane, plan });
    return plan.run(phase, data, scope);
  },
});

/** Fields of a payload that are no words, or that an engine passes along beside it. */
const unseen = new Set(['phase', 'messageList', 'streamParts', 'state', 'steps', 'agent', 'model', 'tools']);

interface Looking {
  readonly writer: TraceWriter;
  readonly memoryIds: ReadonlySet<string> | undefined;
  /** Ids of guards that judge beside the run, at any time; of them only their events are told. */
  readonly shadows: ReadonlySet<string>;
}

const shadowsIn = (node: GraphNode): string[] =>
  node.kind === 'guard' ? (node.policy?.shadow ? [node.id] : []) : childrenOf(node).flatMap(shadowsIn);

/** Looks at what a guard is given, and at what it has made of that. */
const lookingOn = ({ writer, memoryIds, shadows }: Looking, { author, data, scope }: GuardCall): GuardSpan => {
  if (shadows.has(author.processorId)) return { scope, end: () => undefined };
  const received = writer.freeze(visibleIn(data, scope));
  return {
    scope,
    end: (verdict) => {
      if (memoryIds?.has(author.processorId)) writeMemory(writer, { author, data, scope }, verdict);
      const after = verdict.kind === 'edit' ? (verdict.data as object) : data; // an edit of this payload
      writeJudged(writer, author, { received, returned: isStop(verdict) ? undefined : writer.freeze(visibleIn(after, scope)) });
    },
  };
};

const isStop = ({ kind }: Verdict<unknown>): boolean => kind !== 'pass' && kind !== 'edit';

const writeJudged = (
  writer: TraceWriter,
  { phase, processorId, path }: Author,
  { received, returned }: { readonly received: Frozen; readonly returned: Frozen | undefined },
): void => {
  const isPerChunk = phaseRow<Phase>(phase as Phase).cadence === 'chunk'; // authors name phases
  const changed = returned && !isSameFrozen(received, returned) ? returned : undefined;
  if (isPerChunk && returned && !changed) return; // it let a chunk pass
  const adds: unknown[] = [];
  writer.write({
    kind: 'judged',
    ...writer.place,
    phase,
    processorId,
    path,
    received: writer.refer(received, adds),
    ...(changed && { returned: writer.refer(changed, adds) }),
    adds,
  });
};

/** The whole conversation as the memory left it, its sources too. */
const writeMemory = (writer: TraceWriter, { author, data, scope }: GuardCall, verdict: Verdict<unknown>): void => {
  const { phase, processorId } = author;
  const { messageList } = data as { messageList?: MessageList }; // phases of messages have one by now
  const adds: unknown[] = [];
  const list =
    verdict.kind === 'edit' && messageList
      ? writer.refer(writer.freeze(scope.host.messages.snapshot(messageList) as object), adds)
      : undefined;
  const error = 'error' in verdict ? verdict.error : 'reason' in verdict ? new Error(verdict.reason) : undefined;
  writer.write({
    kind: 'memory',
    ...writer.place,
    phase,
    processorId,
    verdict: verdict.kind,
    ...(list && { list, adds }),
    ...(error !== undefined && { error: writer.plain(error) }),
  });
};

/** A payload as data; what its list holds is read off the list. */
const visibleIn = (data: object, { host }: RunScope): object => {
  const fields: Record<string, unknown> = Object.fromEntries(Object.entries(data).filter(([name]) => !unseen.has(name)));
  const { messageList } = data as { messageList?: unknown };
  if (isChunk(fields['part'])) fields['part'] = withoutRun(fields['part']);
  if ('modelSettings' in fields) fields['modelSettings'] = withoutHeaders(fields['modelSettings']);
  if (!messageList || !host.messages.is(messageList) || 'part' in data) return fields;
  const { messages, systemMessages, taggedSystemMessages } = host.messages.snapshot(messageList) as Record<string, unknown>;
  return { ...fields, messages, systemMessages, taggedSystemMessages };
};

const isChunk = (part: unknown): part is Chunk => typeof part === 'object' && part !== null;

/** All chunks are of the run that the header names. */
const withoutRun = ({ runId: _runId, ...own }: Chunk): Chunk => own;

const writeLeft = (writer: TraceWriter, chunk: Chunk): void => {
  const own = withoutRun(withoutSteps(chunk));
  writer.write({ kind: 'left', ...writer.place, part: noteOf(chunk, partIdOf(chunk)), chunk: writer.plain(own) });
};

/** Chunks of the loop's own repeat all steps so far; what they say beside that is in the events. */
const withoutSteps = (chunk: Chunk): Chunk => {
  if (!repeating.has(chunk.type)) return chunk;
  const { stepResult, messageId, tripwire } = (chunk.payload ?? {}) as Record<string, unknown>;
  return { ...chunk, payload: { messageId, stepResult, tripwire } };
};

const repeating = new Set(['step-start', 'step-finish', 'finish']);

const writeResult = (writer: TraceWriter, run: Run, object: unknown): void => {
  const { inputTokens, outputTokens, totalTokens } = run.usage;
  const finish = run.recorder.events.findLast((event) => event.type === 'run-finish');
  const { tripwire, error } = writer.plain({ tripwire: finish?.tripwire, error: finish?.error }) as Pick<
    RunFinish,
    'tripwire' | 'error'
  >;
  const text = acceptedSteps(run)
    .map((step) => step.text)
    .join('');
  writer.write({
    kind: 'result',
    ...writer.place,
    status: run.status ?? 'failed',
    finishReason: finishReasonOf(run),
    text: writer.plain(text) as string,
    ...(object !== undefined && { object: writer.plain(object) }),
    usage: { inputTokens, outputTokens, totalTokens },
    tripwire,
    error,
  });
};

type RunFinish = Extract<RunEvent, { type: 'run-finish' }>;
