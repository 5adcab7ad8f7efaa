import { InterlockError, type ErrorCode } from './errors.js';

/** A fault of an option, with its path. */
export interface OptionFault<
  Code extends ErrorCode = 'agent/unknown-option' | 'agent/invalid-option' | 'agent/unsupported-option',
> {
  readonly code: Code;
  readonly path: string;
  readonly detail?: string;
  readonly cause?: unknown;
}

/**
 * Raises one error for all faults, with the code and the path of the first. Does nothing if there is none.
 *
 * @param owner The owner of the options, e.g. `agent "support"`.
 */
export const throwFaults = (faults: readonly (OptionFault<ErrorCode> | undefined)[], owner?: string): void => {
  const [first, ...others] = faults.filter((fault) => fault !== undefined);
  if (!first) return;
  const clauses = [clauseOf(first), ...others.map((fault) => `${fault.path}: ${clauseOf(fault) ?? 'it cannot be used'}`)];
  const joined = clauses.filter((clause) => clause !== undefined).join('; ');
  const detail = joined && owner ? `${owner}: ${joined}` : joined;
  throw new InterlockError(first.code, { path: first.path, detail, cause: first.cause });
};

const clauseOf = ({ detail }: OptionFault<ErrorCode>): string | undefined => detail?.replace(/[.]$/, '');

/** A fault of a guard's option, with its code. */
export const asGuardFault = <Fault extends { readonly path: string; readonly isUnknown?: true }>(fault: Fault) => ({
  code: fault.isUnknown ? ('guard/unknown-option' as const) : ('guard/invalid-option' as const),
  ...fault,
});

/** A sentence with the one of these names that is most similar to a misspelt one; undefined if none is close. */
export const didYouMean = (name: string, names: Iterable<string>): string | undefined => {
  const [best] = [...names]
    .map((one) => ({ one, apart: distance(name.toLowerCase(), one.toLowerCase()) }))
    .toSorted((a, b) => a.apart - b.apart);
  return best && best.apart <= Math.max(1, name.length / 4) ? `did you mean ${best.one}?` : undefined;
};

/** The number of letters to insert, remove or replace. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, letter] of Array.from(one).entries()) {
    const above = row;
    row = [index + 1];
    for (let column = 1; column <= other.length; column += 1)
      row.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (row[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + (letter === other[column - 1] ? 0 : 1),
        ),
      );
  }
  return row[other.length] ?? 0;
};
