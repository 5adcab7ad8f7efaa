import type { Tool } from 'ai';
import { anySignal, attempted } from '../phase/awaitable.js';
import { definedFields } from '../phase/plain-data.js';
import type { Plan } from '../pipeline/graph.js';
import { holdOf } from '../pipeline/hold.js';
import type { Phase, ProcessorSlot } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import { checkIntegration } from '../integration.js';
import type { Compilable } from '../mastra/graph/to-graph.js';
import type { StoredPart } from '../plain/stored-message.js';
import { dropRequests } from './drop-requests.js';
import type { UnsignedEvent, WrittenData } from './events.js';
import { checkGuardOptions, type GuardOptions } from './guard-options.js';
import { planOf } from './host.js';
import { openScope } from './run-scope.js';
import { initialState, type Adapter, type GuardedState, type JudgedCalls } from './run-state.js';
import type { Chunk } from './spec.js';
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

/** A run as the adapters use it. */
export interface Run extends GuardedRun, JudgedCalls {
  readonly owner: Owner;
  readonly agentId: string;
  readonly plan: Plan;
  readonly scope: RunScope;
  readonly options: GuardOptions;
  readonly leaving: AbortController; // ends the run because its readers canceled, or because the provider is late
  readonly hold: 'chunk' | 'step';
  readonly adapters: Set<Adapter>;
  readonly models: WeakSet<object>; // those that this run already guards
  readonly tools: Map<string, Tool>; // those that this run guards, by their names
  /** The edited content of recorded steps, as stored parts. */
  readonly editedSteps: Map<unknown, readonly StoredPart[]>;
  /** Keys of arguments that pass the schema of a guarded tool, by its name. */
  readonly exempted: Map<string, Set<string>>;
  /** Each processor's state in the run. */
  readonly slots: Map<string, ProcessorSlot>;
  /** The data that guards wrote; UI messages of a result have it as parts. */
  readonly data: WrittenData[];
  readonly state: GuardedState;
  /** Replaces the state by one with other values in some fields. */
  change(fields: Partial<GuardedState>): void;
  /** Sends data that a guard wrote. */
  showData(chunk: Chunk): void;
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
  /** Default: a random UUID. */
  readonly id?: string | undefined;
}

/** Creates a run of a compiled plan. */
export const createRun = (plan: Plan, options: GuardOptions, { owner, agentId = 'ai-sdk', ...origin }: Origin): Run => {
  checkIntegration('ai');
  const [controller, leaving] = [new AbortController(), new AbortController()];
  const { abortSignal, onEvent, onReaderCancel, tripwireParts } = options;
  const { id = crypto.randomUUID() } = origin;
  leaving.signal.addEventListener('abort', () => controller.abort(leaving.signal.reason));
  const signal = abortSignal ? anySignal([controller.signal, abortSignal]) : controller.signal;
  const emit: Run['emit'] = (event) => attempted(() => onEvent?.({ ...event, runId: id })); // with its run id it is complete
  const slots: Run['slots'] = new Map();
  let state = initialState;
  const guarded = openScope({ id, plan, options, signal, slots, emit }, () => state);
  const run: Run & { readonly [brand]: true } = {
    [brand]: true,
    id,
    owner,
    agentId,
    signal,
    ...guarded,
    options,
    leaving,
    hold: options.hold ?? defaultHold(plan, options),
    adapters: new Set(),
    models: new WeakSet(),
    tools: new Map(),
    editedSteps: new Map(),
    calls: new Map(),
    exempted: new Map(),
    slots,
    data: [],
    get state() {
      return state;
    },
    change: (fields) => void (state = { ...state, ...fields }),
    get error() {
      return state.error;
    },
    get tripwire() {
      return TripwireError.isInstance(state.error) ? state.error : undefined;
    },
    get retries() {
      return state.retries;
    },
    signalWith: joinedSignals(signal, leaving.signal),
    throwIfStopped: () => {
      if (state.error) throw state.error;
    },
    finish: () => finish(run),
    watch: (result) =>
      watchReaders((tripwireParts ? withStopParts : showTripwires)(result, run), { onReaderCancel, leaving, emit }),
    showData: (chunk) => showData(run, chunk),
    emit,
    end: (error) => {
      if (state.error) return state.error;
      endRun(run, error);
      controller.abort(error);
      return error;
    },
  };
  return run;
};

/** Joins the run's signal with that of a call. The last one is kept, because a run's calls have one signal. */
const joinedSignals = (signal: AbortSignal, leaving: AbortSignal): Run['signalWith'] => {
  let joined: { readonly given: AbortSignal; readonly signal: AbortSignal } | undefined;
  return (given) => {
    if (given === undefined || given === leaving) return signal; // which follows it
    if (joined?.given !== given) joined = { given, signal: anySignal([signal, given]) };
    return joined.signal;
  };
};

const finish = async (run: Run): Promise<void> => {
  run.throwIfStopped();
  await run.state.judgeLast?.();
  dropRequests(run);
  run.state.trace?.end();
};

const showData = (run: Run, chunk: Chunk): void => {
  const { type, data, id, transient } = chunk as WrittenData; // of that type
  const part = { type, data, ...definedFields({ id, transient }) }; // a client accepts no other fields
  run.data.push(part);
  run.state.trace?.show(chunk);
  run.emit({ type: 'data', part });
};

const endRun = (run: Run, error: StopError): void => {
  run.change({ error });
  const { processorId, phase, path } = error;
  run.emit({ type: 'stop', kind: run.tripwire ? 'tripwire' : 'unavailable', processorId, phase, path });
  run.state.trace?.end({ error });
};

const defaultHold = (plan: Plan, { maxProcessorRetries = 0 }: GuardOptions): 'chunk' | 'step' =>
  maxProcessorRetries > 0 || holdOf(plan.graph) !== 'none' ? 'step' : 'chunk';

/** The guards of an adapter: its own pipeline, or a run that adapters share. */
export type Guards = Compilable | GuardedRun;

export const isSharedRun = (guards: Guards): guards is Run => typeof guards === 'object' && guards !== null && brand in guards;
