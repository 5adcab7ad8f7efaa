import { InterlockError, type ErrorCode } from '../errors.js';

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
