import type { Chunk, StepRecord } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import { copyForReaders, isRecord } from '../../phase/plain-data.js';

/** A chunk as readers get it: a copy, which the run does not change later. The end of a step has the steps so far. */
export const copyForReader = (run: Run | undefined, { payload, ...chunk }: Chunk): Chunk => {
  const copy: Chunk = copyForReaders(chunk);
  if (payload === undefined) return copy;
  const own = isRecord(payload) ? copyFields(payload) : copyForReaders(payload);
  return {
    ...copy,
    payload: run && chunk.type === 'step-finish' ? withSteps(run, own as StepFinish) : own,
  };
};

interface StepFinish {
  /** The index of its step, and the number of steps so far. */
  readonly output: { readonly step?: number; readonly stepCount?: number };
}

/** Adds the first steps of the run, and the content of its own step, as they are now. A follower of a run gets its chunks with the steps. */
const withSteps = ({ state: { steps } }: Run, chunk: StepFinish): StepFinish => {
  const { output, ...payload } = chunk;
  const { step = -1, stepCount, ...own } = output;
  const copies = steps.slice(0, stepCount).map(copyOfStep);
  const current = copies[step];
  if (!current) return chunk;
  const { text, toolCalls } = current;
  return { ...payload, output: { text, toolCalls, ...own, steps: copies } as StepFinish['output'] };
};

/** The fields of a step that the run replaces when the step changes. */
const changing = ['content', 'toolCalls', 'toolResults', 'request', 'reason', 'tripwire'] as const;
const copies = new WeakMap<StepRecord, { readonly of: Partial<StepRecord>; readonly copy: StepRecord }>();

/** A copy of a step. While the step is unchanged, all readers share it. */
export const copyOfStep = (step: StepRecord): StepRecord => {
  const known = copies.get(step);
  if (known && changing.every((name) => known.of[name] === step[name])) return known.copy;
  const copy = copyFields(step);
  copies.set(step, { of: { ...step }, copy });
  return copy;
};

/** Copies the fields of a value except for the request: it repeats the prompt, and the run only replaces it. */
const copyFields = <T extends object>(value: T): T => {
  const { request, metadata, ...own } = value as { request?: unknown; metadata?: unknown };
  const rest = { ...(request !== undefined && { request }), ...(isRecord(metadata) && { metadata: copyFields(metadata) }) };
  return { ...copyForReaders(own), ...rest } as T; // with all of its fields
};
