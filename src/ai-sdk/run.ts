import type { Instructions, Tool } from 'ai';
import type { CallSettings, SentStep } from './sent-step.js';
import { anySignal, attempted } from '../phase/awaitable.js';
import { definedFields } from '../phase/plain-data.js';
import type { Plan } from '../pipeline/compile.js';
import { holdOf } from '../pipeline/hold.js';
import type { Host } from '../phase/host.js';
import type { Phase } from '../phase/row.js';
import type { ProcessorSlot, RunScope } from '../phase/scope.js';
import { checkIntegration } from '../integration.js';
import type { ProviderLimits } from '../loop/provider-clock.js';
import type { Compilable } from '../mastra/graph/to-graph.js';
import type { StoredPart } from '../plain/stored-message.js';
import type { ApprovedInput } from './approved-input.js';
import { dropRequests } from './drop-requests.js';
import type { Answers, Conversation } from './conversation.js';
import type { UnsignedEvent, WrittenData } from './events.js';
import { checkGuardOptions, type GuardOptions } from './guard-options.js';
import { planOf } from './host.js';
import { withScope } from './run-scope.js';
import type { RunTrace } from './run-trace.js';
import type { AnyMessage, Chunk } from './spec.js';
import { type StopError, TripwireError } from './stop-errors.js';
import { showTripwires, withStopParts } from './show-tripwires.js';
import { watchReaders, type StreamedResult } from './watch-readers.js';

/**
 * One run of `generateText`, `streamText` or an agent, shared by all adapters that guard it: processors keep one `state` in it, retries
 * are counted over it, and a trip anywhere ends all of it. Created for one run by {@link createGuardedRun}.
 */
export interface GuardedRun {
  readonly id: string;
  /** Aborted when a guard ends the run. */
  readonly signal: AbortSignal;
  /** The tripwire that ended the run, if any. */
  readonly tripwire: TripwireError | undefined;
  /** The error that guards ended the run with: a tripwire, or a failed guard. */
  readonly error: StopError | undefined;
  /** Number of retries granted so far. */
  readonly retries: number;
  /**
   * Await this after `generateText`: it rejects with {@link GuardedRun.error}, if there is one. If the last response calls tools, the
   * result of the run is judged here.
   */
  finish(): Promise<void>;
  /**
   * Applies `onReaderCancel` to the readers of a result of `streamText`, which it returns, and shows a tripwire in its UI messages as a
   * `data-tripwire` part. Call it before the result is read.
   *
   * @example
   * run.watch(streamText({ ...settings, ...guardSettings(settings, run) })).toUIMessageStreamResponse();
   */
  watch<Result extends StreamedResult>(result: Result): Result;
}

/** The phases whose hooks each adapter for the AI SDK calls. A hook that no adapter of a run calls is rejected, never skipped. */
export const phasesOf: Readonly<Record<Adapter, readonly Phase[]>> = {
  withGuards: ['input', 'inputStep', 'llmRequest', 'apiError', 'outputStream', 'llmResponse', 'outputStep', 'outputResult'],
  toPrepareStep: ['input', 'inputStep'],
  guardTools: ['toolResult'],
  toStreamTransform: ['outputStream'],
};

/** An adapter for the AI SDK. */
export type Adapter = 'withGuards' | 'toPrepareStep' | 'guardTools' | 'toStreamTransform';

/** The judged version of the caller's messages. */
export interface JudgedInput {
  /** The adapter that judged them. It also forwards the results. */
  readonly by: Adapter;
  /** The replacements of messages, by their original key; see `rewritten`. */
  readonly rewrites: ReadonlyMap<string, readonly AnyMessage[]>;
  /** The system messages, if guards changed them. */
  readonly system: readonly AnyMessage[] | undefined;
  readonly users: readonly (readonly StoredPart[])[]; // the content of each message of the user
}

/** A run as the adapters use it. */
export interface Run extends GuardedRun {
  readonly owner: Owner;
  readonly agentId: string;
  trace?: RunTrace | undefined; // if the process is observed
  readonly plan: Plan;
  /** The host of the guards; set when the run starts. */
  host?: Host | undefined;
  readonly scope: RunScope;
  readonly options: GuardOptions;
  readonly leaving: AbortController; // ends the run because its readers canceled, or because the provider is late
  chunkTimeouts?: ProviderLimits | undefined;
  readonly adapters: Set<Adapter>;
  readonly models: WeakSet<object>; // those that this run already guards
  readonly tools: Map<string, Tool>; // those that this run guards, by their names
  /** See {@link takeCallSettings}. */
  callSettings: CallSettings;
  sent: SentStep; // the last prepared step
  readonly hold: 'chunk' | 'step';
  /** Whether the steps are emitted only after the run is over. */
  holdsResult: boolean;
  /** The edited content of recorded steps, by their numbers. */
  readonly editedSteps: Map<number, readonly StoredPart[]>;
  /** Set once the caller's messages were judged. */
  input?: JudgedInput | undefined;
  stepNumber: number; // of the current step, from 0
  isAnswered: boolean; // whether the model has responded in it
  instructions?: Instructions | undefined; // of the call, if `guardSettings` got them
  approved?: ApprovedInput | undefined; // of the last call with approved calls
  answers?: Answers | undefined; // for each answer in a prepared step's messages, whether the run generated it
  /** The last conversation, if guards left it untouched. */
  untouched?: Conversation | undefined;
  context?: unknown; // the `experimental_context` of the current step
  steps: readonly unknown[]; // the accepted ones, as the AI SDK reports them
  retries: number;
  recoveries: number;
  /** The arguments that guards judged when the model made a call, by call id. */
  readonly judgedCalls: Map<string, unknown>;
  /** Arguments that are judged before their tool runs, because no guarded model made the call. */
  readonly judgements: Map<string, Promise<unknown>>;
  /** Calls that a guard rejected, each with the value that the model gets instead of a result. */
  readonly rejectedCalls: Map<string, unknown>;
  /** Keys of arguments that pass the schema of a guarded tool, by its name. */
  readonly exempted: Map<string, Set<string>>;
  /** Calls for which a guard requires approval. */
  readonly approvals: Set<string>;
  /** Each processor's state in the run. */
  readonly slots: Map<string, ProcessorSlot>;
  /** The data that guards wrote; UI messages of a result have it as parts. */
  readonly data: WrittenData[];
  /** Sends data that a guard wrote. */
  showData(chunk: Chunk): void;
  /** Judges the last response as the run's result, if that was not done. */
  judgeLast?: (() => Promise<void>) | undefined;
  error: StopError | undefined;
  failure?: { readonly error: unknown } | undefined; // the error that a stream ended with
  isChecked: boolean;
  emit(event: UnsignedEvent): void;
  /** The run's signal, joined with that of a call. */
  signalWith(given: AbortSignal | undefined): AbortSignal;
  throwIfStopped(): void;
  /** Ends the run; the first end counts. */
  end(error: StopError): StopError;
}

const brand = Symbol('guarded run');

/**
 * Starts a run that several adapters share. Pass it to each of them in place of the pipeline, and create a new one for every run.
 *
 * Raises `pipeline/…` for an invalid pipeline, and `ai-sdk/hook-not-called` before the first model call if no adapter of the run would
 * call a hook of the pipeline.
 *
 * @example
 * const run = createGuardedRun(moderation);
 * const result = await generateText({
 *   model: withGuards(model, run),
 *   tools: guardTools(tools, run),
 *   prepareStep: toPrepareStep(run),
 *   prompt,
 * }); await run.finish();
 */
export const createGuardedRun = (pipeline: Compilable, options: GuardOptions = {}): GuardedRun => {
  checkGuardOptions(options);
  return createRun(planOf(pipeline), options, { owner: 'application' });
};

/** The creator of a run: an agent, the application, or for one call a guarded model or another adapter. */
type Owner = 'agent' | 'application' | 'model' | 'adapter';

interface Origin {
  readonly owner: Owner;
  readonly agentId?: string | undefined;
}

/** Creates a run of a compiled plan. */
export const createRun = (plan: Plan, options: GuardOptions, { owner, agentId = 'ai-sdk' }: Origin): Run => {
  checkIntegration('ai');
  const [controller, leaving] = [new AbortController(), new AbortController()];
  const { abortSignal, onEvent, onReaderCancel, tripwireParts } = options;
  const id = crypto.randomUUID();
  leaving.signal.addEventListener('abort', () => controller.abort(leaving.signal.reason));
  const signal = abortSignal ? anySignal([controller.signal, abortSignal]) : controller.signal;
  let joined: { readonly given: AbortSignal; readonly signal: AbortSignal } | undefined; // the last one: a run's calls have one signal
  const run: Run = {
    [brand]: true,
    id,
    owner,
    agentId,
    signal,
    plan,
    options,
    leaving,
    scope: undefined as never, // see `withScope`, which reads the run
    adapters: new Set(),
    models: new WeakSet(),
    tools: new Map(),
    hold: options.hold ?? defaultHold(plan, options),
    ...untouched(),
    get tripwire() {
      return TripwireError.isInstance(run.error) ? run.error : undefined;
    },
    signalWith: (given) => {
      if (given === undefined || given === leaving.signal) return signal; // which follows it
      if (joined?.given !== given) joined = { given, signal: anySignal([signal, given]) };
      return joined.signal;
    },
    throwIfStopped: () => {
      if (run.error) throw run.error;
    },
    finish: async () => {
      run.throwIfStopped();
      await run.judgeLast?.();
      dropRequests(run);
      run.trace?.end();
    },
    watch: (result) =>
      watchReaders((tripwireParts ? withStopParts : showTripwires)(result, run.data), {
        onReaderCancel,
        leaving,
        emit: run.emit,
      }),
    showData: (chunk) => showData(run, chunk),
    emit: (event) => attempted(() => onEvent?.({ ...event, runId: id })), // with its run id it is complete
    end: (error) => {
      if (run.error) return run.error;
      endRun(run, error);
      controller.abort(error);
      return error;
    },
  } as Run;
  return withScope(run);
};

const showData = (run: Run, chunk: Chunk): void => {
  const { type, data, id, transient } = chunk as WrittenData; // of that type
  const part = { type, data, ...definedFields({ id, transient }) }; // a client accepts no other fields
  run.data.push(part);
  run.trace?.show(chunk);
  run.emit({ type: 'data', part });
};

const endRun = (run: Run, error: StopError): void => {
  run.error = error;
  const { processorId, phase, path } = error;
  run.emit({ type: 'stop', kind: run.tripwire ? 'tripwire' : 'unavailable', processorId, phase, path });
  run.trace?.end({ error });
};

/** The fields of a new run; the others have no value. */
const untouched = () => ({
  holdsResult: false,
  editedSteps: new Map(),
  stepNumber: 0,
  isAnswered: false,
  steps: [],
  retries: 0,
  recoveries: 0,
  callSettings: {},
  sent: { messages: [], instructions: undefined },
  judgedCalls: new Map(),
  judgements: new Map(),
  rejectedCalls: new Map(),
  exempted: new Map(),
  approvals: new Set(),
  slots: new Map(),
  data: [],
  isChecked: false,
  error: undefined,
});

const defaultHold = (plan: Plan, { maxProcessorRetries = 0 }: GuardOptions): 'chunk' | 'step' =>
  maxProcessorRetries > 0 || holdOf(plan.graph) !== 'none' ? 'step' : 'chunk';

/** The guards of an adapter: its own pipeline, or a run that adapters share. */
export type Guards = Compilable | GuardedRun;

export const isSharedRun = (guards: Guards): guards is Run => typeof guards === 'object' && guards !== null && brand in guards;
