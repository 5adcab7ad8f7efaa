import { InterlockError } from '../../errors.js';

/** The options of operations on runs that select runs, or places in them. */
export interface Selection {
  readonly resourceId?: string;
  readonly olderThan?: Date;
  readonly startedBefore?: Date;
  readonly startedAfter?: Date;
  readonly from?: number;
  readonly limit?: number;
  readonly newRunId?: string;
}

interface Rule {
  holds(value: unknown): boolean;
  readonly detail: string;
}

const text: Rule = { holds: (value) => typeof value === 'string' && value !== '', detail: 'it must be a string, not empty.' };
const date: Rule = {
  holds: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  detail: 'it must be a valid date.',
};
const place: Rule = {
  holds: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  detail: 'it must be a whole number, at least 0.',
};
const count: Rule = { holds: (value) => value === Infinity || place.holds(value), detail: place.detail };

const rules: Readonly<Record<keyof Selection, Rule>> = {
  resourceId: text,
  newRunId: text,
  olderThan: date,
  startedBefore: date,
  startedAfter: date,
  from: place,
  limit: count,
};

/** These restrict an operation. If a caller lost the value, the operation must not concern all runs. */
const restrictions: ReadonlySet<string> = new Set(['resourceId', 'olderThan'] satisfies (keyof Selection)[]);

/** Raises `agent/invalid-option`, also for a `resourceId` or `olderThan` that is there, but undefined. */
export const checkOperation = (selection: Selection): void => {
  for (const [path, { holds, detail }] of Object.entries(rules)) {
    if (!(path in selection)) continue;
    const value = selection[path as keyof Selection]; // a name of the rules
    const isOmitted = value === undefined && !restrictions.has(path);
    if (!isOmitted && !holds(value)) throw new InterlockError('agent/invalid-option', { path, detail });
  }
};
