import { throwFaults } from '../../option-fault.js';
import { aCount, aName, kind, wholeNumberFrom, type OptionKind } from '../../option-kind.js';

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

const aDate = kind<Date>('a valid date', (value) => value instanceof Date && !Number.isNaN(value.getTime()));

const kinds: Readonly<Record<keyof Selection, OptionKind>> = {
  resourceId: aName,
  newRunId: aName,
  olderThan: aDate,
  startedBefore: aDate,
  startedAfter: aDate,
  from: wholeNumberFrom(0),
  limit: aCount,
};

/** These restrict an operation. If a caller lost the value, the operation must not concern all runs. */
const restrictions: ReadonlySet<string> = new Set(['resourceId', 'olderThan'] satisfies (keyof Selection)[]);

/** Raises one `agent/invalid-option` for all faults, also for a `resourceId` or `olderThan` that is there, but undefined. */
export const checkOperation = (selection: Selection): void =>
  throwFaults(
    Object.entries(kinds).flatMap(([path, option]) => {
      const value = selection[path as keyof Selection]; // a name of the kinds
      const isOmitted = value === undefined && !(path in selection && restrictions.has(path));
      return isOmitted ? [] : option.faultsOf(value, path).map((fault) => ({ code: 'agent/invalid-option', ...fault }));
    }),
  );
