import { InterlockError, type ErrorCode } from '../errors.js';

/** What is wrong with an option, and the place in it. */
export interface OptionFault<
  Code extends ErrorCode = 'agent/unknown-option' | 'agent/invalid-option' | 'agent/unsupported-option',
> {
  readonly code: Code;
  readonly path: string;
  readonly detail?: string;
  readonly cause?: unknown;
}

/**
 * Raises one error for all options that cannot be used, with the code and the path of the first; nothing where there is none.
 *
 * @param owner Whose options they are, e.g. `agent "support"`.
 */
export const refuseFaults = (faults: readonly (OptionFault<ErrorCode> | undefined)[], owner?: string): void => {
  const [first, ...others] = faults.filter((fault) => fault !== undefined);
  if (!first) return;
  const clauses = [clauseOf(first), ...others.map((fault) => `${fault.path}: ${clauseOf(fault) ?? 'it cannot be used'}`)];
  const told = clauses.filter((clause) => clause !== undefined).join('; ');
  const detail = told && owner ? `${owner}: ${told}` : told;
  throw new InterlockError(first.code, { path: first.path, detail, cause: first.cause });
};

const clauseOf = ({ detail }: OptionFault<ErrorCode>): string | undefined => detail?.replace(/[.]$/, '');
