import type { Append, Durable } from '../../durable/journal.js';
import { InterlockError, isInterlockError } from '../../errors.js';
import { Interruption, rethrowInterruption } from '../interruption.js';
import type { InsidePart } from '../tool-call.js';
import type { Journal, Run } from '../run.js';
import { copyPlain } from '../../phase/plain-data.js';
import { decode, decodeAt, encode, isPlainText } from './encode.js';
import {
  toPersistedState,
  isPersistable,
  applyPersistedState,
  ofOthers,
  type PersistedState,
  createStateLog,
} from './persisted-state.js';
import type { Patch } from './patch.js';

/** The outcome of a step: its value or its error. */
type Ended<T> = { readonly value: T; readonly error?: undefined } | { readonly error: unknown };

/** The value of a checkpointed section, and its changes of the run. */
interface Changed<T> {
  readonly value: T;
  readonly patch: Patch | undefined;
}

interface PersistedJournalOptions {
  /** The state at the start of the run, when it is stored outside the journal. */
  readonly startedWith?: PersistedState;
  readonly isFenced: boolean;
  readonly records?: SectionRecords;
}

/** The records of a run, which are stored with the section that produces them. */
export interface SectionRecords {
  /** Called before a section runs in this process. */
  enter(run: Run, key: string): Promise<void>;
  /** The records that are not stored yet. */
  take(): Append | undefined;
  /** The records that were taken last are stored. */
  kept(): void;
}

/**
 * Persists a run as the differences between its states: each checkpointed section is a step of the engine, whose text holds the section's
 * value and its changes. The run itself is restored from the journal only before code reads it.
 */
export const createPersistedJournal = (
  durable: Durable,
  { startedWith, isFenced, records }: PersistedJournalOptions,
): Journal => {
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
      let made: { readonly text: string; readonly own: Changed<T> | undefined } | undefined;
      const section = async (inner: Durable): Promise<string> => {
        current = inner;
        catchUp(run);
        await records?.enter(run, key);
        let copied: Changed<T> | undefined; // the run changes its own objects
        const ownText = await textOf(async (): Promise<Changed<T>> => {
          const value = await body();
          now = toPersistedState(run);
          const patch = log.change(now, run.state.editedFrom);
          run.change({ editedFrom: undefined });
          copied = copyPlain({ value, patch: ofOthers(patch) });
          return { value, patch };
        });
        made = { text: ownText, own: isPlainText(ownText) ? copied : undefined };
        return ownText;
      };
      const text = await step(durable, key, section, records?.take);
      records?.kept();
      const isOwn = made?.text === text;
      const stored = (): Changed<T> => valueIn(text, `${run.options.runId} ${key}`) as Changed<T>; // the form of a section
      const { value, patch } = (isOwn && made?.own) || stored();
      log.append(patch, isOwn ? now : undefined);
      isBehind ||= !isOwn;
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
    mayEnd: (run, [next]) => next === undefined || (next !== 'request' && isPersistable(run)), // a prompt is made again, not stored
    catchUp,
  };
};

/** Runs a function and encodes its outcome. */
const textOf = async <T>(body: () => Promise<T>): Promise<string> => {
  try {
    return encode({ value: await body() } satisfies Ended<T>);
  } catch (error) {
    rethrowInterruption(error);
    return encode({ error: inTheRun(error) } satisfies Ended<T>);
  }
};

/** A damaged journal interrupts the run: it must not continue with missing state. */
const valueIn = (text: string, path: string): unknown => {
  const ended = endedIn(text, path);
  if ('value' in ended) return ended.value;
  throw ended.error;
};

const endedIn = (text: string, path: string): Ended<unknown> => {
  try {
    return decodeAt(text, path) as Ended<unknown>; // encoded by textOf
  } catch (error) {
    throw new Interruption(error);
  }
};

/** Changes the path of a value that cannot be stored: the path in the run, without the patch around it. */
const inTheRun = (error: unknown): unknown => {
  const patch = 'value.patch';
  if (!isInterlockError(error, 'durable/unkept-value') || !error.path?.startsWith(patch)) return error;
  return new InterlockError('durable/unkept-value', {
    path: error.path.slice(patch.length).replaceAll('[1]', '').replace(/^\./, ''),
  });
};

/** All rejections of a step belong to the engine. */
const step = async (durable: Durable, ...given: Parameters<Durable['step']>): Promise<string> => {
  try {
    return await durable.step(...given);
  } catch (error) {
    rethrowInterruption(error);
    throw new Interruption(error);
  }
};

/**
 * A restored run changes its state in place. The next entry is a diff against the stored state, so the two must share no
 * objects.
 */
const apart = (state: PersistedState): PersistedState => decode(encode(state)) as PersistedState; // just encoded
