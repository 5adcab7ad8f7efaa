import type { MessageList } from '@mastra/core/agent/message-list';
import type { RunEvent, RunStatus } from '../../schemas/index.js';
import type { RecordedSettings } from '../../schemas/trace-entry.js';
import { InterlockError } from '../errors.js';
import type { Plan } from '../pipeline/compile.js';
import type { SystemMessage } from '../phase/host.js';
import type { PhaseData, PhaseRow } from '../phase/row.js';
import type { OverlapGuard, ProcessorSlot, Reports, RunScope } from '../phase/scope.js';
import type { StreamBuffer } from '../stream/stream-buffer.js';
import type { Position, Recorder } from '../trace/recorder.js';
import type { Stop } from '../verdict.js';
import { createResponse, type AssembledResponse, type Span } from './response.js';
import type { CallResponse } from './call-response.js';
import type { Effect } from './effect.js';
import type { InsidePart } from './inside-part.js';
import type { PartSnapshot } from './late-edits.js';
import type { LoopInput, LoopLimits } from './machine.js';
import type {
  Chunk,
  LoopPorts,
  ModelEntry,
  Prompt,
  RunMode,
  ConversationSnapshot,
  StepRecord,
  StepSettings,
  TokenUsage,
} from './ports.js';
import type { UnfinishedTurn } from './persistence.js';
import type { ResponseAhead } from './read-ahead.js';
import type { LoopSnapshot } from './decide.js';
import type { FinishedCall } from './reuse.js';
import { createStepCalls, type StepCalls } from './step-calls.js';

/** The guards of a run by lane; `memory` persists an accepted answer and runs after everything else. */
export type Lanes = Record<PhaseRow['lane'] | 'memory', Plan | undefined>;

/** The tracer of a run, shared by all its segments. */
export interface RunTracer {
  /** Called with each event before other listeners. Its errors do not reach the run. */
  hear(event: RunEvent, run: Run): void;
  readonly openSpan: NonNullable<RunScope['openSpan']>;
  /** The trace, and its outermost span. */
  readonly ids: { readonly traceId: string | undefined; readonly spanId: string | undefined };
}

/** The recorder of a run, shared by all its segments. It writes line by line. */
export interface RunRecording extends Pick<RunTracer, 'hear' | 'openSpan'> {
  /** Called with each chunk once it is visible to readers. */
  readonly show: (chunk: Chunk) => void;
  /** Another segment of the run begins, with what was said about a call that waited. */
  resume(run: Run, answered: { readonly toolCallId: string; readonly answer: CallResponse }): void;
  /** The run segment is over; `object` is what the host made of the answer. */
  end(run: Run, object: unknown): void;
}

/** What keeps a run while it goes on, where anything does. */
export interface Journal {
  /** Whether nothing more is kept of a process once another has taken over its run, see `Engine`. */
  readonly isFenced: boolean;
  /**
   * A checkpointed section of the run. What it came to is kept with what it changed of the run: where it was kept, the run is
   * made what it was then, and nothing is done again.
   */
  checkpoint<T>(run: Run, key: string, body: () => Promise<T>): Promise<T>;
  /** A part of the checkpointed section under way whose effect is not to be had twice. What it came to is kept; it changes nothing of the run. */
  part<T>(key: string, body: (inside?: InsidePart) => Promise<T>): Promise<T>;
  /** Claims an action that must happen only once. Resolves to true for the first claim. */
  claim(key: string): Promise<boolean>;
  /** Whether a checkpointed section ends where the run is now, with nothing under way. The end of a run is a checkpointed section of its own where anything is kept. */
  mayEnd(run: Run, isEnd: boolean): boolean;
  /** Restores the run from the journal, before any code reads it. */
  catchUp(run: Run): void;
}

/** The input of a run. */
export interface RunOptions extends Readonly<RecordedSettings> {
  readonly runId: string;
  readonly agentId?: string;
  readonly mode: RunMode;
  /** The conversation as it begins; see {@link Run.list}. */
  readonly list: MessageList;
  readonly lanes: Lanes;
  /** What reads the object off an accepted answer, where the last step asked for one. Absent where nothing can ask. */
  readonly objectPlan?: (settings: StepSettings) => Plan | undefined;
  readonly ports: LoopPorts;
  readonly settings: StepSettings;
  /** The limits that the run began with. A resumed or replayed run keeps them, whatever its agent says now. */
  readonly limits: LoopLimits;
  readonly streamBuffer: StreamBuffer<Chunk>;
  readonly abortSignal?: AbortSignal;
  /** Whether results and chunks describe the guards to their receivers. Default `false`. */
  readonly serveGuardDetails?: boolean;
  /** Whether callers get errors whole, with what they quote of the prompt. Default `false`. */
  readonly serveErrorDetails?: boolean;
  /** Keeps the conversation of a run that is not over. Absent where no memory does. */
  readonly unfinishedTurn?: UnfinishedTurn;
  /** Whether memory gets each step once it was accepted. Default `false`: the whole answer at the end. */
  readonly savePerStep?: boolean;
  /** What tools do outside the run, by their names. */
  readonly effects?: Readonly<Record<string, Effect>>;
  /** What keeps the run while it goes on. Default: nothing does. */
  readonly journal?: Journal;
  /** Whether what the attempt has let out could still be taken back: if not, it is not made again. Default: it always can. */
  readonly mayTakeBack?: () => boolean;
  /** What the run goes on from, where the host makes one run of several. */
  readonly before?: RunBefore;
  /** Receives the reports of guards, in addition to the recorder. */
  readonly reports?: Omit<Reports, 'openShadow'>;
  /** The context of hooks besides the loop's own: the agent and the request's contexts. */
  readonly context: Pick<RunScope, 'agent' | 'requestContext' | 'tracingContext'>;
  readonly onEvent?: (event: RunEvent) => void;
  /** Absent where no trace is made; the run then pays nothing for it. */
  readonly tracer?: RunTracer;
  /** Absent where the run is not recorded. */
  readonly recording?: RunRecording;
  readonly onStepFinish?: (step: StepRecord) => unknown;
}

/** What was there before a run that goes on with it. */
interface RunBefore {
  readonly counts: Omit<LoopInput, keyof LoopLimits>;
  readonly slots: Map<string, ProcessorSlot>;
  /** The steps before, as hooks are given them. */
  readonly steps: readonly StepRecord[];
  /** The messages that stood in the list. */
  readonly messageIds: ReadonlySet<string>;
}

/** One attempt at a step: what it sends, what came back. */
export interface Attempt {
  readonly settings: StepSettings;
  entry: ModelEntry;
  /** What the model is to be sent, until it is. */
  prompt: Prompt | undefined;
  /** A response that a guard had cached; the model is not called. */
  cached: PhaseData<'llmRequest'>['response'];
  answer: AssembledResponse;
  /** The call that overlaps with the guards; its response is used only after they have passed. */
  ahead: ResponseAhead | undefined;
  /** The provider's chunks as they came, kept where a guard asks for them. */
  rawChunks: { type: string; payload: unknown }[];
  /** Whether the model said anything: words, calls, files. */
  hasSpoken: boolean;
  /** Whether a guard has edited what the model said. */
  wasEdited: boolean;
  finish: { reason: string; usage: TokenUsage; providerMetadata?: unknown } | undefined;
  request: unknown;
  response: Record<string, unknown>;
  warnings: readonly unknown[];
  /** Results of tools that the provider ran, which guards want to judge before they leave. */
  heldResults: Chunk[];
  /** Where its tool calls stand. */
  readonly stepCalls: StepCalls;
  /** What its tools returned. */
  readonly finishedCalls: FinishedCall[];
  /** How many parts of the response message it made. */
  partCount: number;
  /** Where what it lets out begins. */
  place: number;
  /** Whether the start of its step was reported. */
  started: boolean;
  /** Whether the finish of its step was reported. */
  closed: boolean;
  record: StepRecord | undefined;
}

/** A step with an accepted response, and the state to restore if the response is rejected later. */
export interface AcceptedStep {
  readonly record: StepRecord;
  partIds: readonly string[];
  spans: readonly Span[];
  /** Where what it let out begins. */
  readonly place: number;
  readonly partCount: number;
}

/** What is not shown yet, and the place where it begins. */
export interface BufferedChunks {
  readonly chunks: readonly Chunk[];
  readonly from: number;
}

/** The data of a run, outside the machine. Activities read and write it; the machine decides. */
export interface Run {
  readonly options: RunOptions;
  /** What hooks are handed. */
  readonly scope: RunScope & { retryCount: number };
  /** What each processor keeps through the run, by its id. */
  readonly slots: Map<string, ProcessorSlot>;
  readonly recorder: Recorder;
  readonly position: Position;
  readonly signal: AbortSignal;
  /** The current conversation: a new list after each rollback, see `comeBack`. */
  list: MessageList;
  /** The strictest stop since the attempt began: why the last activity ended. */
  stop: Stop | undefined;
  error: unknown;
  /** Why the last attempt was rejected, until the next one's prompt says so. */
  feedback: string | undefined;
  /** System messages as each step starts with them. */
  baseSystem: readonly SystemMessage[];
  /** The conversation as the current step (or the input) started with it; a rejected attempt goes back to it. */
  start: ConversationSnapshot | undefined;
  /** The conversation as the first step started with it; a rejected result goes back to it. */
  firstStep: ConversationSnapshot | undefined;
  /** What the caller said as the guards left it, kept where it may have to be saved without an answer. */
  acceptedInput: ConversationSnapshot | undefined;
  /** Overlap guards that have not passed yet. */
  overlapGuards: readonly OverlapGuard[];
  attempt: Attempt | undefined;
  /** Every attempt whose finish was reported, rejected ones included, and the one under review. */
  readonly steps: StepRecord[];
  accepted: AcceptedStep[];
  /** The parts of the response as guards were last given them: what has not changed since is not written down again. */
  lastParts: readonly PartSnapshot[];
  /** Whether the guards let the whole result pass. */
  resultStands: boolean;
  readonly usage: TokenUsage;
  messageId: string;
  readonly usedPartIds: Set<string>;
  /** What tools returned in rejected attempts at this step: asked for again, they are not run again. */
  reusable: FinishedCall[];
  retries: number;
  recoveries: number;
  modelIndex: number;
  status: RunStatus | undefined;
  /** Where the machine is suspended, until the run is resumed. */
  restsAt: LoopSnapshot | undefined;
  /** What was not shown yet when the run was suspended. */
  held: BufferedChunks;
}

/** A fresh attempt with the settings that the run was called with. */
export const createAttempt = (run: Run): Attempt => ({
  settings: { ...run.options.settings },
  entry: run.options.ports.models[run.modelIndex] as ModelEntry, // the machine counts no further than there are models
  prompt: undefined,
  cached: undefined,
  answer: createResponse(),
  ahead: undefined,
  rawChunks: [],
  hasSpoken: false,
  wasEdited: false,
  finish: undefined,
  request: undefined,
  response: {},
  warnings: [],
  heldResults: [],
  stepCalls: createStepCalls(),
  finishedCalls: [],
  partCount: 0,
  place: 0,
  started: false,
  closed: false,
  record: undefined,
});

/** The attempt that is under way; every activity after `prepare` has one. */
export const currentAttempt = (run: Run): Attempt => {
  if (!run.attempt) throw new InterlockError('run/failed', { detail: 'no attempt is under way.' });
  return run.attempt;
};

/** The steps whose answers stand, in order. */
export const acceptedSteps = (run: Run): StepRecord[] => run.steps.filter((step) => !step.tripwire && step.reason !== 'error');

/** Whether the caller may not see the answer yet: under `hold: 'run'` until all of it was accepted. */
export const isWithheld = ({ options, resultStands }: Run): boolean => options.hold === 'run' && !resultStands;

/** The steps that the caller may see. Rejected ones hold no words. */
export const visibleSteps = (run: Run): StepRecord[] => {
  const accepted = isWithheld(run) ? acceptedSteps(run) : [];
  return run.steps.filter((step) => !accepted.includes(step));
};

/** What hooks get as `steps`; the host's type of a step is wider than any hook can rely on. */
export const stepsForHooks = (run: Run): never[] => [...run.steps] as never[];

/** Whether the run is over: later results of an activity must have no effect. */
export const isOver = (run: Run): boolean => run.signal.aborted || run.status !== undefined;

/** Notes why an activity of the run failed; one that was given up on has nothing more to say. */
export const setRunError = (run: Run, error: unknown): void => {
  if (!isOver(run)) run.error = error;
};
