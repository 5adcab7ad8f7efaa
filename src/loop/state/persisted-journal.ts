import type { Append, Durable } from '../../durable/journal.js';
import { InterlockError, isInterlockError } from '../../errors.js';
import { Interruption, rethrowInterruption } from '../interruption.js';
import type { InsidePart } from '../tool-call.js';
import type { Journal, Run } from '../run.js';
import { isPlain } from '../../phase/plain-data.js';
import type { Chunk } from '../ports.js';
import { decode, decodeAt, encode, encodeChunk } from './encode.js';
import {
  apart,
  applyPersistedState,
  changeOf,
  isPersistable,
  patched,
  toPersistedState,
  type PersistedState,
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
interface SectionRecords {
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
  let state = startedWith && apart(startedWith);
  let isBehind = false;
  let current = durable;
  const catchUp = (run: Run): void => {
    if (isBehind && state) applyPersistedState(run, apart(state));
    isBehind = false;
  };
  return {
    isFenced,
    checkpoint: async <T>(run: Run, key: string, body: () => Promise<T>): Promise<T> => {
      let own: { readonly text: string; readonly value: T; readonly after: PersistedState } | undefined;
      const section = async (inner: Durable): Promise<string> => {
        current = inner;
        catchUp(run);
        await records?.enter(run, key);
        return orError(async () => {
          const value = await body();
          const { patch, after } = changeOf(state ?? {}, toPersistedState(run), run.state.editedFrom);
          run.change({ editedFrom: undefined });
          const text = encode({ value: { value, patch } } satisfies Ended<Changed<T>>);
          own = { text, value, after };
          return text;
        });
      };
      const text = await step(durable, key, section, records?.take);
      records?.kept();
      if (own?.text === text) {
        state = own.after;
        return isPlain(own.value) ? own.value : apart(own.value);
      }
      const { value, patch } = valueIn(text, `${run.options.runId} ${key}`) as Changed<T>; // the form of a section
      state = patched(state, patch);
      isBehind = true;
      return value;
    },
    part: async <T>(key: string, body: (inside: InsidePart) => Promise<T>): Promise<T> =>
      valueIn(await step(current, key, (inner) => textOf(() => body({ durable: inner, isFenced }))), key) as T,
    copyChunk: (chunk) => decode(encodeChunk(chunk)) as Chunk, // just encoded
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
const textOf = (body: () => Promise<unknown>): Promise<string> =>
  orError(async () => encode({ value: await body() } satisfies Ended<unknown>));

/** The text that a function creates, or that of its error. */
const orError = async (create: () => Promise<string>): Promise<string> => {
  try {
    return await create();
  } catch (error) {
    rethrowInterruption(error);
    return encode({ error: inTheRun(error) } satisfies Ended<unknown>);
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
