import type { RunEvent } from '../../../schemas/index.js';
import type { ProcessorSlot } from '../../phase/scope.js';
import type { ConversationSnapshot, StepRecord } from '../ports.js';
import type { ResponseStep, Attempt, Run, RunState } from '../run.js';
import { createResponse, type AssembledResponse } from '../response.js';
import type { StepCalls } from '../step-calls.js';

/** Fields of the state that hold only while the process runs. */
type LiveState = 'overlapGuards' | 'lastParts' | 'editedFrom' | 'rejectedWords';

/**
 * The state of a run as plain data: what one segment passes to the next, and what a journal stores. The input of the run is stored
 * separately.
 */
export interface KeptState extends Omit<RunState, LiveState | 'list' | 'accepted' | 'attempt'> {
  readonly list: ConversationSnapshot;
  readonly accepted: readonly AcceptedState[];
  readonly attempt: AttemptState | undefined;
  readonly usedPartIds: readonly string[];
  readonly givenCallIds: readonly (readonly [own: string, given: string])[];
  readonly slots: Readonly<Record<string, ProcessorSlot>>;
  readonly events: readonly RunEvent[];
}

/** An accepted step, whose record is stored as its index in the steps. */
type AcceptedState = Omit<ResponseStep, 'record' | 'partIds'> & { readonly record: number; readonly partIds: readonly string[] };

/** The current state of a run. */
export const readState = (run: Run): KeptState => {
  const { overlapGuards: _overlap, lastParts: _parts, editedFrom: _edited, rejectedWords: _words, ...kept } = run.state;
  const { attempt, steps, list, status, held } = kept;
  return {
    ...kept,
    list: run.options.ports.messages.checkpoint(list),
    accepted: acceptedStates(run.state),
    attempt: attempt && readAttempt(attempt, steps),
    held: status === undefined ? run.options.streamBuffer.buffered() : held,
    usedPartIds: [...run.usedPartIds],
    givenCallIds: [...run.givenCallIds],
    slots: Object.fromEntries(run.slots),
    events: [...run.recorder.events],
  };
};

/** Accepted steps are in the order of the steps: the search for each starts after the one before. */
const acceptedStates = ({ accepted, steps }: RunState): AcceptedState[] => {
  let found = -1;
  return accepted.map(({ record, partIds, ...step }) => {
    found = steps.indexOf(record, found + 1);
    return { ...step, partIds: [...partIds], record: found };
  });
};

/** The state in which a suspended run continues. */
export const resumed = <S extends Pick<RunState, 'status'>>(state: S) => ({ ...state, status: undefined, isResumed: true });

/** Applies the state of another run to a run that has not started; the recording notes where it continues. */
export const writeState = (run: Run, state: KeptState): void => {
  const { usedPartIds, givenCallIds, slots, events, list, accepted, attempt, held, ...own } = state;
  const offsetOf = bufferAgain(run, state);
  const { steps } = own;
  run.change({
    ...own,
    held,
    list: run.options.ports.messages.restore(list, run.state.list),
    accepted: accepted.map((step) => ({
      ...step,
      partIds: new Set(step.partIds),
      spans: [...step.spans],
      record: steps[step.record] as StepRecord, // found among them
      place: offsetOf(step.place),
    })),
    attempt: attempt && writeAttempt(attempt, steps, offsetOf),
  });
  fill(run.usedPartIds, usedPartIds, (ids, id) => ids.add(id));
  fill(run.givenCallIds, givenCallIds, (ids, [id, given]) => ids.set(id, given));
  fill(run.slots, Object.entries(slots), (all, [id, slot]) => all.set(id, slot));
  run.recorder.rewind(events);
};

/** Replaces the content of a set or map. */
const fill = <C extends { clear(): void }, E>(into: C, entries: readonly E[], add: (into: C, entry: E) => void): void => {
  into.clear();
  for (const entry of entries) add(into, entry);
};

/** Converts an offset to one in the stream buffer of this run segment. */
type OffsetOf = (offset: number) => number;

/**
 * Buffers the buffered chunks again; returns the conversion from offsets of the last stream buffer. They replace those of a state that was
 * applied before: a segment applies the state of its suspension, and later the one of its journal. Between two steps nothing is
 * buffered, so that a retraction leaves.
 */
const bufferAgain = (run: Run, { held: buffered, attempt }: KeptState): OffsetOf => {
  const { hold, streamBuffer } = run.options;
  streamBuffer.dropBuffered();
  streamBuffer.flush();
  if (hold === 'run' || (hold && attempt && !attempt.closed)) {
    streamBuffer.startBuffering();
    for (const chunk of buffered.chunks) void streamBuffer.write(chunk); // buffered chunks have no reader to wait for
  }
  return (offset) => (offset < buffered.from || !hold ? alreadyEmitted : offset - buffered.from);
};

/** Offset before all chunks: content emitted in an earlier run segment, which can only be retracted. */
const alreadyEmitted = -1;

/** Fields of an attempt that another run segment cannot take over: a call under way, and its prompt; and those of a judged response. */
type Live = 'ahead' | 'modelCall' | 'prompt' | 'originals';

/** An attempt as plain data; maps are stored as lists. */
export interface AttemptState extends Omit<Attempt, Live | 'answer' | 'calls' | 'record'> {
  readonly answer: AnswerState;
  readonly calls: readonly (StepCalls extends Map<infer Id, infer State> ? readonly [Id, State] : never)[];
  /** The index of its record in the steps. */
  readonly record: number | undefined;
}

/** A complete response: none of its parts is growing. */
type AnswerState = Omit<AssembledResponse, 'partIds' | 'growing'> & { readonly partIds: readonly string[] };

/** The state of an attempt. */
const readAttempt = (attempt: Attempt, steps: readonly StepRecord[]): AttemptState => {
  const {
    ahead: _ahead,
    modelCall: _modelCall,
    prompt: _prompt,
    originals: _originals,
    answer,
    calls,
    record,
    ...rest
  } = attempt;
  const { growing: _growing, partIds, ...content } = answer;
  return {
    ...rest,
    finishedCalls: [...rest.finishedCalls],
    written: [...rest.written],
    answer: { ...content, partIds: [...partIds] },
    calls: [...calls],
    record: record && steps.indexOf(record),
  };
};

/** The attempt with a state. */
const writeAttempt = (state: AttemptState, steps: readonly StepRecord[], offsetOf: OffsetOf): Attempt => {
  const { answer, calls, record, ...rest } = state;
  const { partIds, ...content } = answer;
  return {
    ...rest,
    finishedCalls: [...rest.finishedCalls],
    written: [...rest.written],
    place: rest.place === undefined ? undefined : offsetOf(rest.place),
    ahead: undefined,
    modelCall: undefined,
    prompt: undefined,
    originals: new Map(),
    answer: { ...createResponse(), ...content, partIds: new Set(partIds) },
    calls: new Map(calls),
    record: record === undefined ? undefined : steps[record],
  };
};
