import { InterlockError } from '../errors.js';
import { isPromise } from '../phase/awaitable.js';
import { isGuarded } from './judge.js';
import { noteArrival } from './note-arrival.js';
import type { Outcome } from './outcome.js';
import { createPartIds } from './part-ids.js';
import { openPassage, type Passage } from './passage.js';
import type { Chunk } from './ports.js';
import type { Attempt, Run } from './run.js';
import { dropSetAside } from './set-aside.js';

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
export const pump = async (run: Run, attempt: Attempt, pumping: Pumping): Promise<Outcome> => {
  const passage = openPassage(run, attempt);
  dropSetAside(run); // of a call that was cut off
  try {
    return (await pumpThrough(run, attempt, { ...pumping, passage })) ?? (await endOf(attempt, passage));
  } finally {
    passage.close();
  }
};

/** Sends every chunk on its way; an outcome where the guards stop on one. */
const pumpThrough = async (
  run: Run,
  attempt: Attempt,
  { chunks, startedAt, passage }: Pumping & { passage: Passage },
): Promise<Outcome | undefined> => {
  const isKept = isGuarded(run, 'llmResponse');
  const holdsResults = isGuarded(run, 'toolResult');
  const ids = createPartIds(run.usedPartIds);
  for await (const chunk of passage.watch(chunks)) {
    run.signal.throwIfAborted();
    if (!chunk) continue;
    noteArrival(run, attempt, { chunk, startedAt, isKept });
    const own = ids.own(chunk);
    if (!own) continue;
    if (holdsResults && own.type === 'tool-result') {
      attempt.heldResults.push(own); // leaves when it was judged, see review
      continue;
    }
    const pending = passage.letThrough(own);
    const outcome = isPromise(pending) ? await pending : pending;
    if (outcome) return outcome;
  }
  return undefined;
};

const endOf = async (attempt: Attempt, passage: Passage): Promise<Outcome> => {
  if (passage.isStopped || isWhole(attempt)) return (await passage.end()) ?? { kind: 'done' };
  throw new InterlockError('model/malformed-stream', { path: attempt.entry.model.modelId, detail: 'no finish part came.' });
};

/** Clients that make a finish part of their own where none came give it one of these reasons. */
const madeUpReasons = new Set(['other', 'unknown']);

const isWhole = ({ finish, hasSpoken }: Attempt): boolean =>
  finish !== undefined && (hasSpoken || !madeUpReasons.has(finish.reason));
