import type { Append, Durable, PersistedStep } from './journal.js';
import type { Awaitable } from '../phase/awaitable.js';
import type { Execution } from './ledger.js';

/** A write to the store of a run: a step and its records, all or nothing. */
interface StoreWrite {
  readonly step?: PersistedStep;
  readonly append?: Append | undefined;
}

/** The stored steps of a run, as the process sees them that has the run. */
export interface StepStore {
  find(key: string): Awaitable<string | undefined>;
  /** The number of stored steps. */
  readonly count: () => number;
  /** Raises `TakenOver` if this process no longer has the run. */
  check(): Awaitable<void>;
  /** Returns the place of the first record. Repeats itself while the store is away. Raises `TakenOver`. */
  write(write: StoreWrite): Awaitable<number>;
}

/** Separates the key of a step from the key of the step around it. */
const separator = '\n';

/** Whether a stored step is not inside another one. */
export const isOutermost = ({ key }: PersistedStep): boolean => !key.includes(separator);

/** A run whose steps are in a store of this library, next to those of the engine. */
export const storedDurable = (store: StepStore, execution: Execution, canceled: AbortSignal): Durable => {
  const inside = (around: string): Durable => ({
    step: async (own, run, records) => {
      const key = around + own;
      const known = await store.find(key);
      if (known !== undefined) return known;
      await execution.start(store.count);
      if (around) await store.check(); // a process that was paused and has lost the run begins no tool; its other work is not stored
      const text = await run(inside(key + separator));
      await store.write({ step: { key, text }, append: records?.() });
      execution.pass();
      return text;
    },
    publish: async (append) => store.write({ append }),
    canceled,
  });
  return inside('');
};
