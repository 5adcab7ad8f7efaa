import type { Durable } from '../../durable/journal.js';
import { InterlockError, isInterlockError } from '../../errors.js';
import { Interruption, letThrough } from '../interruption.js';
import type { Journal, Run } from '../run.js';
import { decode, encode } from './encode.js';
import { keptState, mayBeKept, writeKept, type KeptState } from './kept-state.js';
import { applyPatch, diff, type Patch } from './patch.js';

/** What a stretch is kept as: what it came to and what it changed, or why neither can be kept. */
type Kept<T> = { readonly value: T; readonly patch: Patch | undefined; readonly error?: undefined } | { readonly error: unknown };

/**
 * Keeps a run as the differences between its states: each stretch is a step of the engine, whose text says what the stretch came to
 * and what it changed. The run itself is made what the journal says once something is to be done with it.
 *
 * @param begun the state that the run begins with, where it is told beside the journal
 */
export const keepJournal = (durable: Durable, begun?: KeptState): Journal => {
  let state: unknown = begun ?? {};
  let isBehind = false;
  let current = durable;
  const catchUp = (run: Run): void => {
    if (isBehind) writeKept(run, state as KeptState); // what every patch made
    isBehind = false;
  };
  const live = async <T>(run: Run, body: () => Promise<T>): Promise<string> => {
    catchUp(run);
    try {
      const value = await body();
      return encode({ value, patch: diff(state, keptState(run)) } satisfies Kept<T>);
    } catch (error) {
      letThrough(error);
      return encode({ error: inTheRun(error) } satisfies Kept<T>);
    }
  };
  return {
    stretch: async <T>(run: Run, key: string, body: () => Promise<T>): Promise<T> => {
      let isLive = false;
      const text = await step(durable, key, (inner) => {
        isLive = true;
        current = inner;
        return live(run, body);
      });
      const kept = decode(text) as Kept<T>;
      if ('error' in kept) throw kept.error;
      if (kept.patch) state = applyPatch(state, kept.patch);
      isBehind ||= !isLive;
      return kept.value;
    },
    part: async (key, body) =>
      decode(await step(current, key, async () => encode(await body()))) as Awaited<ReturnType<typeof body>>,
    mayEnd: mayBeKept,
    catchUp,
  };
};

/** The place of what cannot be kept, as it is in the run: without the places in the patch that tells of it. */
const inTheRun = (error: unknown): unknown => {
  if (!isInterlockError(error, 'durable/unkept-value') || !error.path?.startsWith('patch')) return error;
  return new InterlockError('durable/unkept-value', {
    path: error.path.slice('patch'.length).replaceAll('[1]', '').replace(/^\./, ''),
  });
};

/** Whatever a step rejects with is the engine's. */
const step = async (durable: Durable, key: string, run: Parameters<Durable['step']>[1]): Promise<string> => {
  try {
    return await durable.step(key, run);
  } catch (error) {
    letThrough(error);
    throw new Interruption(error);
  }
};
