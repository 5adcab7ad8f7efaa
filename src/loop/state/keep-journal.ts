import type { Durable } from '../../durable/journal.js';
import { InterlockError, isInterlockError } from '../../errors.js';
import { Interruption, letThrough } from '../interruption.js';
import type { InsidePart } from '../inside-part.js';
import type { Journal, Run } from '../run.js';
import { decode, encode } from './encode.js';
import { keptState, mayBeKept, writeKept, type KeptState } from './kept-state.js';
import type { Patch } from './patch.js';
import { createStateLog } from './state-change.js';

/** What is kept of something that was done: what it came to, or what it failed with. */
type Ended<T> = { readonly value: T; readonly error?: undefined } | { readonly error: unknown };

/** What a stretch came to, and what it changed. */
interface Changed<T> {
  readonly value: T;
  readonly patch: Patch | undefined;
}

export interface KeepJournal {
  /** The state that the run begins with, where it is told beside the journal. */
  readonly begun?: KeptState;
  readonly isFenced: boolean;
}

/**
 * Keeps a run as the differences between its states: each stretch is a step of the engine, whose text says what the stretch came to
 * and what it changed. The run itself is made what the journal says once something is to be done with it.
 */
export const keepJournal = (durable: Durable, { begun, isFenced }: KeepJournal): Journal => {
  const log = createStateLog(begun && apart(begun));
  let isBehind = false;
  let current = durable;
  const catchUp = (run: Run): void => {
    if (isBehind) writeKept(run, apart(log.state));
    isBehind = false;
  };
  return {
    isFenced,
    stretch: async <T>(run: Run, key: string, body: () => Promise<T>): Promise<T> => {
      let now: KeptState | undefined;
      const text = await step(durable, key, (inner) => {
        current = inner;
        catchUp(run);
        return textOf(async (): Promise<Changed<T>> => {
          const value = await body();
          now = keptState(run);
          return { value, patch: log.change(now) };
        });
      });
      const { value, patch } = valueIn(text) as Changed<T>; // what the stretch was kept as
      log.append(patch, now);
      isBehind ||= !now;
      return value;
    },
    part: async <T>(key: string, body: (inside: InsidePart) => Promise<T>): Promise<T> =>
      valueIn(await step(current, key, (inner) => textOf(() => body({ durable: inner, isFenced })))) as T,
    claim: async (key) => {
      let isFirst = false;
      await step(current, key, async () => {
        isFirst = true;
        return encode(true);
      });
      return isFirst;
    },
    mayEnd: (run, isEnd) => isEnd || mayBeKept(run),
    catchUp,
  };
};

/** Does something, and gives how it ended as text. */
const textOf = async <T>(body: () => Promise<T>): Promise<string> => {
  try {
    return encode({ value: await body() } satisfies Ended<T>);
  } catch (error) {
    letThrough(error);
    return encode({ error: inTheRun(error) } satisfies Ended<T>);
  }
};

const valueIn = (text: string): unknown => {
  const ended = decode(text) as Ended<unknown>; // what textOf gave
  if ('value' in ended) return ended.value;
  throw ended.error;
};

/** The place of what cannot be kept, as it is in the run: without the places in the patch that tells of it. */
const inTheRun = (error: unknown): unknown => {
  const patch = 'value.patch';
  if (!isInterlockError(error, 'durable/unkept-value') || !error.path?.startsWith(patch)) return error;
  return new InterlockError('durable/unkept-value', {
    path: error.path.slice(patch.length).replaceAll('[1]', '').replace(/^\./, ''),
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

/** A run that was made what was kept changes it in place: what is kept next is told from what was kept, so they share nothing. */
const apart = (state: KeptState): KeptState => decode(encode(state)) as KeptState; // as it was written
