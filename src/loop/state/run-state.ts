import type { RunEvent } from '../../../schemas/index.js';
import type { ProcessorSlot } from '../../phase/scope.js';
import type { Position } from '../../trace/recorder.js';
import { type LoopSnapshot, resolveSnapshot } from '../decide.js';
import type { ConversationSnapshot, StepRecord } from '../ports.js';
import type { ResponseStep, Attempt, BufferedChunks, Run } from '../run.js';
import { createResponse, type AssembledResponse } from '../response.js';
import { createStepCalls, type StepCalls } from '../step-calls.js';

/** Fields of a run that are never changed in place. */
const ownFields = [
  'status',
  'stop',
  'error',
  'feedback',
  'baseSystem',
  'start',
  'firstStep',
  'acceptedInput',
  'isResultAccepted',
  'messageId',
  'reusable',
  'retries',
  'recoveries',
  'modelIndex',
] as const satisfies readonly (keyof Run)[];

/**
 * The state of a run as a value: what one segment passes to the next, and what a journal stores. The input of the run is stored
 * separately.
 */
export interface RunState extends Pick<Run, (typeof ownFields)[number]> {
  readonly position: Position;
  readonly usage: Run['usage'];
  readonly list: ConversationSnapshot;
  readonly steps: readonly StepRecord[];
  readonly accepted: readonly AcceptedState[];
  readonly usedPartIds: readonly string[];
  /** Undefined in journals of earlier versions. */
  readonly givenCallIds?: readonly (readonly [own: string, given: string])[];
  readonly slots: Readonly<Record<string, ProcessorSlot>>;
  readonly attempt: AttemptState | undefined;
  readonly suspendedSnapshot: Pick<LoopSnapshot, 'value' | 'context'> | undefined;
  readonly held: BufferedChunks;
  readonly events: readonly RunEvent[];
}

/** An accepted step, whose record is stored as its index in the steps. */
type AcceptedState = Omit<ResponseStep, 'record' | 'partIds'> & { readonly record: number; readonly partIds: readonly string[] };

/** The current state of a run. Its lists are copies; their items are shared with the run. */
export const readState = (run: Run): RunState => {
  const { steps, attempt, suspendedSnapshot } = run;
  return {
    ...(Object.fromEntries(ownFields.map((name) => [name, run[name]])) as Pick<Run, (typeof ownFields)[number]>), // field by field
    reusable: [...run.reusable],
    position: { ...run.position },
    usage: { ...run.usage },
    list: run.options.ports.messages.checkpoint(run.list),
    steps: [...steps],
    accepted: acceptedStates(run),
    usedPartIds: [...run.usedPartIds],
    givenCallIds: [...run.givenCallIds],
    slots: Object.fromEntries(run.slots),
    attempt: attempt && readAttempt(attempt, steps),
    suspendedSnapshot: suspendedSnapshot && { value: suspendedSnapshot.value, context: suspendedSnapshot.context },
    held: run.status === undefined ? run.options.streamBuffer.buffered() : run.held,
    events: [...run.recorder.events],
  };
};

/** Accepted steps are in the order of the steps: the search for each starts after the one before. */
const acceptedStates = ({ accepted, steps }: Run): AcceptedState[] => {
  let found = -1;
  return accepted.map(({ record, partIds, ...step }) => {
    found = steps.indexOf(record, found + 1);
    return { ...step, partIds: [...partIds], record: found };
  });
};

/** Applies the state of another run to a run that has not started; the recording notes where it continues. */
export const writeState = (run: Run, state: RunState): void => {
  const offsetOf = bufferAgain(run, state.held);
  const { steps, position, usage, attempt, suspendedSnapshot } = state;
  for (const name of ownFields) Object.assign(run, { [name]: state[name] });
  Object.assign(run.position, position);
  Object.assign(run.usage, usage);
  run.scope.retryCount = state.retries;
  run.reusable = [...state.reusable];
  run.list = run.options.ports.messages.restore(state.list, run.list);
  run.steps.splice(0, run.steps.length, ...steps);
  run.accepted = state.accepted.map((step) => ({
    ...step,
    partIds: new Set(step.partIds),
    spans: [...step.spans],
    record: steps[step.record] as StepRecord, // found among them
    place: offsetOf(step.place),
  }));
  run.usedPartIds.clear();
  for (const id of state.usedPartIds) run.usedPartIds.add(id);
  run.givenCallIds.clear();
  for (const [own, given] of state.givenCallIds ?? []) run.givenCallIds.set(own, given);
  run.slots.clear();
  for (const [id, slot] of Object.entries(state.slots)) run.slots.set(id, slot);
  run.attempt = attempt && writeAttempt(attempt, steps, offsetOf);
  run.suspendedSnapshot = suspendedSnapshot && resolveSnapshot(suspendedSnapshot);
  run.held = state.held;
  run.recorder.rewind(state.events);
};

/** Converts an offset to one in the stream buffer of this run segment. */
type OffsetOf = (offset: Attempt['place']) => Attempt['place'];

/**
 * Buffers the buffered chunks again; returns the conversion from offsets of the last stream buffer. They replace those of a state that was
 * applied before: a segment applies the state of its suspension, and later the one of its journal.
 */
const bufferAgain = (run: Run, buffered: BufferedChunks): OffsetOf => {
  const { hold, streamBuffer } = run.options;
  streamBuffer.dropBuffered();
  if (hold) streamBuffer.startBuffering();
  for (const chunk of buffered.chunks) void streamBuffer.write(chunk); // buffered chunks have no reader to wait for
  return (offset) => (offset < buffered.from || !hold ? alreadyEmitted : offset - buffered.from);
};

/** Offset before all chunks: content emitted in an earlier run segment, which can only be retracted. */
const alreadyEmitted = -1;

/** Fields of an attempt that another run segment cannot take over: a call under way, and its prompt; and those of a judged response. */
type Live = 'ahead' | 'modelCall' | 'prompt' | 'originals';

/** An attempt as plain data; maps are stored as lists. */
export interface AttemptState extends Omit<Attempt, Live | 'answer' | 'stepCalls' | 'record'> {
  readonly answer: AnswerState;
  readonly stepCalls: Entries<StepCalls>;
  /** The index of its record in the steps. */
  readonly record: number | undefined;
}

type Entries<T> = { readonly [K in keyof T]: T[K] extends Map<infer Key, infer Value> ? readonly [Key, Value][] : never };

/** A complete response: none of its parts is growing. */
type AnswerState = Omit<AssembledResponse, 'rulings' | 'partIds' | 'growing'> &
  Entries<Pick<AssembledResponse, 'rulings'>> & { readonly partIds: readonly string[] };

/** The state of an attempt. */
const readAttempt = (attempt: Attempt, steps: readonly StepRecord[]): AttemptState => {
  const {
    ahead: _ahead,
    modelCall: _modelCall,
    prompt: _prompt,
    originals: _originals,
    answer,
    stepCalls,
    record,
    ...rest
  } = attempt;
  const { growing: _growing, rulings, partIds, ...content } = answer;
  return {
    ...rest,
    finishedCalls: [...rest.finishedCalls],
    written: [...rest.written],
    answer: { ...content, rulings: [...rulings], partIds: [...partIds] },
    stepCalls: {
      waiting: [...stepCalls.waiting],
      answers: [...stepCalls.answers],
      displayed: [...stepCalls.displayed],
      settled: [...stepCalls.settled],
      given: [...stepCalls.given],
    },
    record: record && steps.indexOf(record),
  };
};

/** The attempt with a state. */
const writeAttempt = (state: AttemptState, steps: readonly StepRecord[], offsetOf: (place: number) => number): Attempt => {
  const { answer, stepCalls, record, ...rest } = state;
  const { rulings, partIds, ...content } = answer;
  return {
    ...rest,
    finishedCalls: [...rest.finishedCalls],
    written: [...rest.written],
    place: offsetOf(rest.place),
    ahead: undefined,
    modelCall: undefined,
    prompt: undefined,
    originals: new Map(),
    answer: { ...createResponse(), ...content, rulings: new Map(rulings), partIds: new Set(partIds) },
    stepCalls: {
      ...createStepCalls(),
      waiting: new Map(stepCalls.waiting),
      answers: new Map(stepCalls.answers),
      displayed: new Map(stepCalls.displayed),
      settled: new Map(stepCalls.settled),
      given: new Map(stepCalls.given),
    },
    record: record === undefined ? undefined : steps[record],
  };
};
