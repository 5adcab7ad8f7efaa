import { createResponse, type AssembledResponse } from '../response.js';
import type { StepRecord } from '../ports.js';
import { createStepCalls, type StepCalls } from '../step-calls.js';
import type { Attempt } from '../run.js';

/** Fields of an attempt that another run segment cannot take over: a call under way, and its prompt. */
type Live = 'ahead' | 'modelCall' | 'prompt';

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
export const readAttempt = (attempt: Attempt, steps: readonly StepRecord[]): AttemptState => {
  const { ahead: _ahead, modelCall: _modelCall, prompt: _prompt, answer, stepCalls, record, ...rest } = attempt;
  const { growing: _growing, rulings, partIds, ...content } = answer;
  return {
    ...rest,
    finishedCalls: [...rest.finishedCalls],
    answer: { ...content, rulings: [...rulings], partIds: [...partIds] },
    stepCalls: {
      waiting: [...stepCalls.waiting],
      answers: [...stepCalls.answers],
      displayed: [...stepCalls.displayed],
      settled: [...stepCalls.settled],
    },
    record: record && steps.indexOf(record),
  };
};

/** The attempt with a state. */
export const writeAttempt = (state: AttemptState, steps: readonly StepRecord[], offsetOf: (place: number) => number): Attempt => {
  const { answer, stepCalls, record, ...rest } = state;
  const { rulings, partIds, ...content } = answer;
  return {
    ...rest,
    finishedCalls: [...rest.finishedCalls],
    place: offsetOf(rest.place),
    ahead: undefined,
    modelCall: undefined,
    prompt: undefined,
    answer: { ...createResponse(), ...content, rulings: new Map(rulings), partIds: new Set(partIds) },
    stepCalls: {
      ...createStepCalls(),
      waiting: new Map(stepCalls.waiting),
      answers: new Map(stepCalls.answers),
      displayed: new Map(stepCalls.displayed),
      settled: new Map(stepCalls.settled),
    },
    record: record === undefined ? undefined : steps[record],
  };
};
