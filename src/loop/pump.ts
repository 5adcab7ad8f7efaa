import { InterlockError } from '../errors.js';
import { isPromise, type Awaitable } from '../phase/awaitable.js';
import type { PhaseData } from '../phase/row.js';
import { pass, type Verdict } from '../verdict.js';
import { addChunk } from './answer.js';
import { isGuarded, stopWith, streamPayload } from './judge.js';
import { noteArrival } from './note-arrival.js';
import type { Outcome } from './outcome.js';
import { createPartIds } from './part-ids.js';
import type { Chunk } from './ports.js';
import { release } from './release.js';
import type { Attempt, Run } from './run.js';
import { dropSetAside, mostFollowing, takeSetAside } from './set-aside.js';

/** A model's answer while it comes. */
export interface Pumping {
  readonly chunks: AsyncIterable<Chunk | undefined>;
  /** When the call began. */
  readonly startedAt: number;
}

/**
 * Takes a model's answer chunk by chunk through the guards of the stream: what they leave of a chunk becomes part of the answer
 * and leaves the run, a stop ends it. Throws what the provider failed with, and `model/malformed-stream`.
 */
export const pump = async (run: Run, attempt: Attempt, { chunks, startedAt }: Pumping): Promise<Outcome> => {
  const isKept = isGuarded(run, 'llmResponse');
  const holdsResults = isGuarded(run, 'toolResult');
  const ids = createPartIds(run.usedPartIds);
  const letThrough = createPassage(run, attempt);
  dropSetAside(run); // of a call that was cut off
  for await (const chunk of chunks) {
    run.signal.throwIfAborted();
    if (!chunk) continue;
    noteArrival(run, attempt, { chunk, startedAt, isKept });
    let next: Chunk | undefined = ids.own(chunk);
    if (holdsResults && next.type === 'tool-result') {
      attempt.heldResults.push(next); // leaves when it was judged, see review
      continue;
    }
    for (let count = 0; next && count <= mostFollowing; count += 1) {
      const pending = letThrough(next);
      const outcome = isPromise(pending) ? await pending : pending;
      if (outcome) return outcome;
      next = takeSetAside(run);
    }
  }
  if (isWhole(attempt)) return { kind: 'done' };
  throw new InterlockError('model/malformed-stream', { path: attempt.entry.model.modelId, detail: 'no finish part came.' });
};

type Passage = (chunk: Chunk) => Awaitable<Outcome | undefined | void>;

/** The way of a chunk through the guards and out; an outcome where they stop on it. It waits only where it must. */
const createPassage = (run: Run, attempt: Attempt): Passage => {
  const plan = isGuarded(run, 'outputStream') ? run.options.lanes.output : undefined;
  const payload = streamPayload(run, null);
  const settle = (verdict: Verdict<PhaseData<'outputStream'>>): ReturnType<Passage> => {
    if (verdict.kind !== 'pass' && verdict.kind !== 'edit') return stopWith(run, verdict);
    if (run.stop) return stopWith(run, run.stop); // a guard stopped on a data part that another guard wrote
    return take(run, attempt, (verdict.kind === 'edit' ? verdict.data : payload).part as Chunk | null);
  };
  return (chunk) => {
    payload.part = chunk;
    const pending = plan?.run('outputStream', payload, run.scope) ?? pass;
    return isPromise(pending) ? pending.then(settle) : settle(pending);
  };
};

/** Takes what the guards left of a chunk into the answer and lets it out. How a call finished is the loop's to tell. */
const take = (run: Run, { answer }: Attempt, part: Chunk | null): Promise<void> | undefined => {
  if (!part || part.type === 'finish') return undefined;
  addChunk(answer, part);
  return release(run, part);
};

/** Clients that make a finish part of their own where none came give it one of these reasons. */
const madeUpReasons = new Set(['other', 'unknown']);

const isWhole = ({ finish, hasSpoken }: Attempt): boolean =>
  finish !== undefined && (hasSpoken || !madeUpReasons.has(finish.reason));
