import type { MessageList } from '@mastra/core/agent/message-list';
import type { RunEvent, RunStatus } from '../../schemas/index.js';
import type { RecordedSettings } from '../../schemas/trace-entry.js';
import { InterlockError } from '../errors.js';
import type { Plan } from '../pipeline/graph.js';
import type { SystemMessage } from '../phase/host.js';
import type { PhaseData, PhaseRow, ProcessorSlot } from '../phase/row.js';
import type { OverlapGuard, Reports, RunScope } from '../phase/scope.js';
import type { StreamBuffer } from '../stream/stream-buffer.js';
import type { Position, Recorder } from '../trace/recorder.js';
import type { Stop } from '../verdict.js';
import type { AssembledResponse, Span, PartSnapshot } from './response.js';
import type { CallResponse, Effect, InsidePart, FinishedCall, StepCalls, WaitingCall } from './tool-call.js';
import type { LoopContext, LoopInput, LoopLimits } from './machine.js';
import type {
  Chunk,
  ConversationSnapshot,
  DataPart,
  LoopPorts,
  ModelCall,
  ModelEntry,
  ModelFinish,
  Prompt,
  ResponseAhead,
  RunMode,
  StepRecord,
  StepSettings,
  TokenUsage,
} from './ports.js';
import type { UnfinishedTurn } from './persistence.js';
import type { Decision } from './decide.js';

/** The guards of a run by array; `memory` persists an accepted response, after everything else. */
export type Lanes = Record<PhaseRow['lane'] | 'memory', Plan | undefined>;

/** Gets all events of a run, and the calls of its guards. */
export interface RunObserver {
  /** Called with each event before other listeners. Its errors do not affect the run. */
  onEvent(event: RunEvent, run: Run): void;
  readonly openSpan: NonNullable<RunScope['openSpan']>;
}

/** The tracer of a run, shared by all its segments. */
export interface RunTracer extends RunObserver {
  /** Calls a function in the context of the run's span, which loggers read. */
  within?<T>(act: () => T): T;
  /** The ids of the trace and its outermost span. */
  readonly ids: { readonly traceId: string | undefined; readonly spanId: string | undefined };
}

/** The recorder of a run, shared by all its segments. It writes line by line. */
export interface RunRecording extends RunObserver {
  /** Called with each chunk once it is visible to readers. */
  readonly show: (chunk: Chunk) => void;
  /** Starts another segment of the run, with the response to a waiting call. */
  resume(run: Run, answered: { readonly toolCallId: string; readonly answer: CallResponse }): void;
  /** Ends the run segment; `object` is the host's structured output. */
  end(run: Run, object: unknown): void;
}

/** Persists the run while it continues. */
export interface Journal {
  /** Whether a process can store nothing more after another has taken over its run, see `Engine`. */
  readonly isFenced: boolean;
  /** Runs a checkpointed section and stores its value and its changes of the run. If it is already stored, only applies the changes. */
  checkpoint<T>(run: Run, key: string, body: () => Promise<T>): Promise<T>;
  /** Runs a part of the current checkpointed section whose effect must not happen twice, and stores its value. */
  part<T>(key: string, body: (inside?: InsidePart) => Promise<T>): Promise<T>;
  /** A copy of a chunk that a tool wrote, in the form in which it can be stored: guards and readers get what a later process has. */
  copyChunk(chunk: Chunk): Chunk;
  /** Claims an action that must happen only once. Resolves to true for the first claim. */
  claim(key: string): Promise<boolean>;
  /** Whether a section may end before these activities: the end of a run has one of its own, a model call that of its preparation. */
  mayEnd(run: Run, next: Decision['starts']): boolean;
  /** Restores the run from the journal, before any code reads it. */
  catchUp(run: Run): void;
}

/** The input of a run. */
export interface RunOptions extends Readonly<RecordedSettings> {
  readonly runId: string;
  readonly agentId?: string;
  readonly mode: RunMode;
  /** The initial conversation; see {@link RunState.list}. */
  readonly list: MessageList;
  readonly lanes: Lanes;
  /** The plan that parses structured output from the accepted response, by the last step's settings. Undefined when it is off. */
  readonly objectPlan?: (settings: StepSettings) => Plan | undefined;
  readonly ports: LoopPorts;
  readonly settings: StepSettings;
  /** The run's initial limits. A resumed or replayed run keeps them, even if its agent's limits have changed. */
  readonly limits: LoopLimits;
  readonly streamBuffer: StreamBuffer<Chunk>;
  readonly abortSignal?: AbortSignal;
  /** Whether results and chunks describe the guards to clients. Default `false`. */
  readonly serveGuardDetails?: boolean;
  /** Whether callers get complete errors, including quotations of the prompt. Default `false`. */
  readonly serveErrorDetails?: boolean;
  /** Saves the conversation of an unfinished run. Undefined without memory. */
  readonly unfinishedTurn?: UnfinishedTurn;
  /** Whether the output of a running tool is emitted after the verdict on its result. Default `false`: at once, unless `hold` is set. */
  readonly holdsToolOutput?: boolean;
  /** Whether memory gets each step once it was accepted. Default `false`: the whole response at the end. */
  readonly savePerStep?: boolean;
  /** The effects of tools outside the run, by tool name. */
  readonly effects?: Readonly<Record<string, Effect>>;
  /** Persists the run while it continues. Undefined: the run is not persisted. */
  readonly journal?: Journal;
  /** Whether the attempt's emitted chunks can still be retracted. If not, the attempt is not repeated. Default: always. */
  readonly mayTakeBack?: () => boolean;
  /** The earlier state, if the host makes one run of several. */
  readonly before?: RunBefore;
  /** Receives the reports of guards, in addition to the recorder. */
  readonly reports?: Omit<Reports, 'openShadow'>;
  /** The context of hooks besides the loop's own: the agent, the request's contexts, and the host's writer instead of the loop's. */
  readonly context: Pick<RunScope, 'agent' | 'requestContext' | 'tracingContext'> &
    Partial<Pick<RunScope, 'writer' | 'conversation'>>;
  readonly onEvent?: (event: RunEvent, run: Run) => void;
  /** Undefined without tracing; the run then has no cost for it. */
  readonly tracer?: RunTracer;
  /** Undefined if the run is not recorded. */
  readonly recording?: RunRecording;
  readonly onStepFinish?: (step: StepRecord, run: Run) => unknown;
}

/** The state from earlier runs that the host combines with this one. */
interface RunBefore {
  readonly counts: Omit<LoopInput, keyof LoopLimits>;
  readonly slots: Map<string, ProcessorSlot>;
  /** The earlier steps, as hooks get them. */
  readonly steps: readonly StepRecord[];
  /** The messages that were in the list. */
  readonly messageIds: Pick<ReadonlySet<string>, 'has'>;
  /** The machine's first decision, if the host has done the work before it. Default: to judge the input. */
  readonly decision?: Decision;
}

/** The response of a model in an attempt so far; a repeated call starts with another one. */
export interface AttemptReply {
  readonly answer: AssembledResponse;
  /** The response's chunks as stream guards left them, kept if a guard of the whole response needs them. */
  readonly leftChunks: { type: string; payload: unknown }[];
  /** The model's original words in pieces, kept if a guard judges the stream. */
  readonly originalWords: string[];
  /** Whether the model has responded: with text, calls or files, or with the end of an empty response. */
  readonly hasResponded: boolean;
  /** The pieces of the provider's texts and calls, by part, while guards may edit them. */
  readonly originals: Partial<Record<Span['type'] | 'call', Map<string, string[]>>>;
  /** Whether a guard has edited the model's output. */
  readonly wasEdited: boolean;
  /** Whether it has edited a part with metadata that represents its content. */
  readonly hasFallen: boolean;
  /** The state of its tool calls. */
  readonly calls: StepCalls;
  readonly finish: ModelFinish | undefined;
  readonly response: Record<string, unknown>;
  /** Results of tools that the provider ran, buffered until guards have judged them. */
  readonly heldResults: Chunk[];
}

/** One attempt at a step: its request and its response. {@link changeAttempt} replaces it by one with other values. */
export interface Attempt extends AttemptReply {
  readonly settings: StepSettings;
  readonly entry: ModelEntry;
  /** The model's input; undefined once it was sent. */
  readonly prompt: Prompt | undefined;
  /** A guard's cached response; the model is not called. */
  readonly cached: PhaseData<'llmRequest'>['response'];
  /** The call that overlaps with the guards; its response is used only after they have passed. */
  readonly ahead: ResponseAhead | undefined;
  /** The call of the model that is under way. */
  readonly modelCall: (Pick<ModelCall, 'hangUp'> & { readonly respondedAt?: number }) | undefined;
  readonly request: unknown;
  readonly warnings: readonly unknown[];
  /** The results of its tools. */
  readonly finishedCalls: FinishedCall[];
  /** Data parts that guards wrote with `writer.custom()`, until they are added to the response. */
  readonly written: DataPart[];
  /** The number of its parts in the response message. */
  readonly partCount: number;
  /** Offset of its first emitted chunk; undefined until the start of its step was reported. */
  readonly place: number | undefined;
  /** Whether the finish of its step was reported. */
  readonly closed: boolean;
  readonly record: StepRecord | undefined;
}

/** A step of the response: an accepted one, or the one under review. Guards of the whole response may edit it later. */
export interface ResponseStep {
  readonly record: StepRecord;
  /** Ids of its parts that a reader has seen. */
  readonly partIds: Set<string>;
  readonly spans: Span[];
  /** Offset of its first emitted chunk. */
  place: number;
  partCount: number;
}

/** The changing part of a run, as a value: a checkpoint is this value, a rollback takes fields of an earlier one, a resumption starts with one. */
export interface RunState {
  /** The machine's counters in the last state that it entered. */
  readonly counters: LoopContext;
  /** Undefined while the run continues. */
  readonly status: RunStatus | undefined;
  /** Whether the run continues after a suspension. */
  readonly isResumed: boolean;
  /** The current conversation: a new list after each rollback, see `restoreConversation`. */
  readonly list: MessageList;
  /** The strictest stop since the attempt began: why the last activity ended. */
  readonly stop: Stop | undefined;
  readonly error: unknown;
  /** The reason for the last rejection, for the next attempt's prompt. */
  readonly feedback: string | undefined;
  /** System messages at the start of each step. */
  readonly baseSystem: readonly SystemMessage[];
  /** The conversation at the start of the current step (or the input); a rejected attempt is rolled back to it. */
  readonly start: ConversationSnapshot | undefined;
  /** The number of parts of each accepted step in it. */
  readonly startCounts: readonly number[];
  /** The conversation at the start of the first step; a rejected result is rolled back to it. */
  readonly firstStep: ConversationSnapshot | undefined;
  /** The caller's message as the guards left it, kept if it may have to be saved without a response. */
  readonly acceptedInput: ConversationSnapshot | undefined;
  /** Overlap guards that have not passed yet. */
  readonly overlapGuards: readonly OverlapGuard[];
  readonly attempt: Attempt | undefined;
  /** Every attempt whose finish was reported, rejected ones included, and the one under review. */
  readonly steps: readonly StepRecord[];
  /** The steps that no guard has rejected, in order. */
  readonly accepted: readonly ResponseStep[];
  /** The parts of the response at their last judgement: unchanged parts are not copied again. */
  readonly lastParts: readonly PartSnapshot[];
  /** The index of the first accepted step that guards have edited since the journal stored the run. */
  readonly editedFrom: number | undefined;
  /** Whether the guards let the whole result pass. */
  readonly isResultAccepted: boolean;
  readonly usage: TokenUsage;
  readonly messageId: string;
  /** The words of rejected attempts, which no error may quote. Never persisted. */
  readonly rejectedWords: readonly string[];
  /** Tool results from rejected attempts at this step, reused for equal calls. */
  readonly reusable: readonly FinishedCall[];
  readonly shownCalls: readonly string[]; // ids of waiting calls that left although the rest of the answer is held
  /** The chunks that were still buffered when the run was suspended. */
  readonly held: ReturnType<StreamBuffer<Chunk>['buffered']>;
}

/** A run: what it is given, and its state. Activities read the state and change it; the machine decides. */
export interface Run {
  readonly options: RunOptions;
  /** The context of hooks. */
  readonly scope: RunScope;
  /** Each processor's state in the run, by its id. */
  readonly slots: Map<string, ProcessorSlot>;
  readonly recorder: Recorder;
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly usedPartIds: Set<string>;
  /** The provider's ids of tool calls that got another one, by that one. */
  readonly givenCallIds: Map<string, string>;
  readonly state: RunState;
  /** Replaces the state by one with other values in some fields. */
  change(fields: Partial<RunState>): void;
}

/** The current step and attempt. */
export const positionOf = ({ state: { counters: at } }: Run): Position => ({ stepNumber: at.stepNumber, attempt: at.attempt });

/** The current attempt; every activity after `prepare` has one. */
export const currentAttempt = (run: Run): Attempt => {
  if (!run.state.attempt) throw new InterlockError('run/failed', { detail: 'no attempt is in progress.' });
  return run.state.attempt;
};

/** Replaces the current attempt by one with other values in some fields, and returns it. */
export const changeAttempt = (run: Run, fields: Partial<Attempt>): Attempt => {
  const attempt = { ...currentAttempt(run), ...fields };
  run.change({ attempt });
  return attempt;
};

/** The calls that a run is suspended for. */
export const waitingCalls = ({ state: { attempt } }: Run): readonly WaitingCall[] =>
  [...(attempt?.calls.values() ?? [])].flatMap(({ waiting }) => waiting ?? []);

/** The steps with accepted responses, in order. */
export const acceptedSteps = (run: Run): StepRecord[] =>
  run.state.steps.filter((step) => !step.tripwire && step.reason !== 'error');

/** Whether the caller may not see the response yet: under `hold: 'run'` until all of it was accepted. */
export const isWithheld = ({ options, state: { isResultAccepted } }: Run): boolean => options.hold === 'run' && !isResultAccepted;

/** The steps that the caller may see. Rejected ones have no text. */
export const visibleSteps = (run: Run): StepRecord[] => {
  const accepted = isWithheld(run) ? acceptedSteps(run) : [];
  return run.state.steps.filter((step) => !accepted.includes(step));
};

/** Whether the run is over: later results of an activity must have no effect. */
export const isOver = (run: Run): boolean => run.signal.aborted || run.state.status !== undefined;
