import type { ErrorRow } from './error-table/error-row.js';
import { errorTable } from './error-table.js';
import { documentation } from './library.js';

/** The address of a code's entry in the reference of errors. */
const errorPageOf = (code: string): string =>
  `${documentation}/reference/errors.${documentation.startsWith('https:') ? 'html' : 'md'}#${code.replace('/', '-')}`;

export { errorTable };

export type ErrorCode = keyof typeof errorTable;

const brand = Symbol.for('mastra-interlock.error');

interface InterlockErrorOptions {
  /** The specific fault, in one clause. The message has it between the code and the table's advice. */
  detail?: string;
  /** The location: a processor id, a pipeline path, an option's name, or `phase.path.to.field`. */
  path?: string;
  /** The underlying error; kept as `cause`. */
  cause?: unknown;
}

/**
 * The only error class of Interlock. `code` is a row of the error table, `path` is the location of the fault. Recognize it with
 * {@link isInterlockError}, which also works across two copies of the package.
 */
export class InterlockError extends Error {
  override readonly name = 'InterlockError';
  readonly code: ErrorCode;
  readonly path: string | undefined;
  readonly actor: ErrorRow['actor'];
  /** The HTTP status for a response; Mastra's server reads it. */
  readonly status: number;
  /** The address of the code's entry in the reference; Node prints it with the error. */
  readonly docs: string;
  readonly [brand] = true;

  constructor(code: ErrorCode, { detail, path, cause }: InterlockErrorOptions = {}) {
    const row: ErrorRow = errorTable[code];
    const location = path ? ` at ${path}` : '';
    const reason = detail ? `: ${detail}${/[.!?]$/.test(detail) ? '' : '.'}` : location && ':';
    super(`[${code}]${location}${reason} ${row.say}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.path = path;
    this.actor = row.actor;
    this.status = row.status ?? 500;
    this.docs = errorPageOf(code);
    if (row.id) Object.assign(this, { id: row.id });
  }
}

/** True for an {@link InterlockError} from any copy of the package, and with `code`, only for that code. */
export const isInterlockError = (value: unknown, code?: ErrorCode): value is InterlockError =>
  typeof value === 'object' &&
  value !== null &&
  brand in value &&
  (code === undefined || (value as InterlockError).code === code);

/** The message of a thrown value of any type. */
export const messageOf = (error: unknown): string => {
  const message = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : error;
  if (typeof message === 'string') return message;
  try {
    return JSON.stringify(error) ?? String(error);
  } catch {
    return String(error);
  }
};
