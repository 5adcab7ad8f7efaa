import type { Durable } from '../../durable/journal.js';
import { InterlockError, isInterlockError } from '../../errors.js';
import { Interruption, rethrowInterruption } from '../interruption.js';
import type { InsidePart } from '../inside-part.js';
import type { Journal, Run } from '../run.js';
import { decode, decodeAt, encode } from './encode.js';
import { toPersistedState, isPersistable, applyPersistedState, type PersistedState } from './persisted-state.js';
import type { Patch } from './patch.js';
import { createStateLog } from './state-change.js';

/** What is kept of something that was done: what it came to, or what it failed with. */
type Ended<T> = { readonly value: T; readonly error?: undefined } | { readonly error: unknown };

/** What a checkpointed section came to, and what it changed. */
interface Changed<T> {
  readonly value: T;
  readonly patch: Patch | undefined;
}

interface PersistedJournalOptions {
  /** The state at the start of the run, when it is stored outside the journal. */
  readonly startedWith?: PersistedState;
  readonly isFenced: boolean;
}

/**
 * Keeps a run as the differences between its states: each checkpointed section is a step of the engine, whose text says what the
 * checkpointed section came to and what it changed. The run itself is made what the journal says once something is to be done
 * with it.
 */
export const createPersistedJournal = (durable: Durable, { startedWith, isFenced }: PersistedJournalOptions): Journal => {
  const log = createStateLog(startedWith && apart(startedWith));
  let isBehind = false;
  let current = durable;
  const catchUp = (run: Run): void => {
    if (isBehind) applyPersistedState(run, apart(log.state));
    isBehind = false;
  };
  return {
    isFenced,
    checkpoint: async <T>(run: Run, key: string, body: () => Promise<T>): Promise<T> => {
      let now: PersistedState | undefined;
      const text = await step(durable, key, (inner) => {
        current = inner;
        catchUp(run);
        return textOf(async (): Promise<Changed<T>> => {
          const value = await body();
          now = toPersistedState(run);
          return { value, patch: log.change(now) };
        });
      });
      const { value, patch } = valueIn(text, `${run.options.runId} ${key}`) as Changed<T>; // what the checkpointed section was kept as
      log.append(patch, now);
      isBehind ||= !now;
      return value;
    },
    part: async <T>(key: string, body: (inside: InsidePart) => Promise<T>): Promise<T> =>
      valueIn(await step(current, key, (inner) => textOf(() => body({ durable: inner, isFenced }))), key) as T,
    claim: async (key) => {
      let isFirst = false;
      await step(current, key, async () => {
        isFirst = true;
        return encode(true);
      });
      return isFirst;
    },
    mayEnd: (run, isEnd) => isEnd || isPersistable(run),
    catchUp,
  };
};

/** Does something, and gives how it ended as text. */
const textOf = async <T>(body: () => Promise<T>): Promise<string> => {
  try {
    return encode({ value: await body() } satisfies Ended<T>);
  } catch (error) {
    rethrowInterruption(error);
    return encode({ error: inTheRun(error) } satisfies Ended<T>);
  }
};

/** A damaged journal interrupts the run: nothing may happen on top of what is missing. */
const valueIn = (text: string, path: string): unknown => {
  const ended = endedIn(text, path);
  if ('value' in ended) return ended.value;
  throw ended.error;
};

const endedIn = (text: string, path: string): Ended<unknown> => {
  try {
    return decodeAt(text, path) as Ended<unknown>; // what textOf gave
  } catch (error) {
    throw new Interruption(error);
  }
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
    rethrowInterruption(error);
    throw new Interruption(error);
  }
};

/**
 * A restored run changes its state in place. The next entry is a diff against the stored state, so the two must share no
 * objects.
 */
const apart = (state: PersistedState): PersistedState => decode(encode(state)) as PersistedState; // as it was written
