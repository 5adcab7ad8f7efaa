import type { StepRecord } from '../ports.js';
import type { Attempt, Run, RunState } from '../run.js';
import { createResponse } from '../response.js';

/**
 * The state of a run as plain data: what one segment passes to the next, and what a journal stores. The input of the run is stored
 * separately.
 */
export type KeptState = ReturnType<typeof readState>;

/** The current state of a run. */
export const readState = (run: Run) => {
  // These fields hold only while the process runs.
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

/** Accepted steps are in the order of the steps, whose indexes are stored: the search for each starts after the one before. */
const acceptedStates = ({ accepted, steps }: RunState) => {
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

/**
 * An attempt as plain data; maps are stored as lists, its record by its index in the steps. Another run segment cannot take over a call
 * under way, its prompt, and the original of a judged response, of which no part is growing.
 */
const readAttempt = (attempt: Attempt, steps: readonly StepRecord[]) => {
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

export type AttemptState = ReturnType<typeof readAttempt>;

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
    originals: {},
    answer: { ...createResponse(), ...content, partIds: new Set(partIds) },
    calls: new Map(calls),
    record: record === undefined ? undefined : steps[record],
  };
};
