import { DevalueError, parse, stringify } from 'devalue';
import { stringify as toJson } from 'safe-stable-stringify';
import { isSealed } from '../../durable/journal.js';
import { InterlockError, isInterlockError, type ErrorCode } from '../../errors.js';
import type { Chunk } from '../ports.js';

/**
 * A value as text: plain data, dates, maps, sets, bytes, `undefined` and errors. A repeated object is written once. Raises
 * `durable/unkept-value` for functions and instances of other classes, because a copy would not be the same.
 */
export const encode = (value: unknown): string => {
  try {
    return stringify(value, { Error: (one: unknown) => one instanceof Error && errorFields(one) });
  } catch (cause) {
    if (!(cause instanceof DevalueError)) throw cause;
    throw new InterlockError('durable/unkept-value', { path: cause.path.replace(/^\./, ''), detail: cause.message, cause });
  }
};

/** A chunk as text. One that is not plain data becomes its JSON form; one without a JSON form, its error: readers miss no chunk. */
export const encodeChunk = (chunk: Chunk): string => {
  try {
    return encode(chunk);
  } catch {
    return jsonOf(chunk);
  }
};

const jsonOf = (chunk: Chunk): string => {
  try {
    return encode(JSON.parse(toJson(chunk) ?? ''));
  } catch (error) {
    const { type, runId, from } = chunk;
    return encode({ type, runId, from, data: { error: `This chunk cannot be stored: ${String(error)}` } });
  }
};

/** The value of an encoded text. */
export const decode = (text: string): unknown => parse(text, { Error: (fields: ErrorFields) => revivedError(fields) });

/**
 * The format of everything that an engine stores. Raise it when this version can no longer read an old text: from 2 on a text starts with
 * its format and a line break, which no text of format 1 does.
 */
export const journalFormat = 1;

/** Raises `durable/unknown-format`. */
export const checkFormat = (format: number | undefined, path: string): void => {
  if (format === journalFormat) return;
  const [from, to] = [`format ${format ?? 0}`, `format ${journalFormat}`];
  const changes = [`the journal has ${from}, and this version reads ${to}`];
  throw new InterlockError('durable/unknown-format', { path, detail: `${changes[0]}.`, cause: { from, to, changes } });
};

/**
 * The value of a text that an engine has stored. Its errors name the path. Raises `durable/damaged` for a text that `encode` did not
 * create, `durable/unreadable` for an encrypted one, `durable/unknown-format` for one of another version.
 */
export const decodeAt = (text: string, path: string): unknown => {
  if (isSealed(text))
    throw new InterlockError('durable/unreadable', { path, detail: 'it is encrypted, and this process has no key.' });
  checkFormat(Number(/^(\d+)\n/.exec(text)?.[1] ?? journalFormat), path);
  try {
    return decode(text);
  } catch (cause) {
    throw new InterlockError('durable/damaged', { path, detail: cause instanceof Error ? cause.message : String(cause), cause });
  }
};

/** An error as data: its code if it is one of Interlock's, its message, and its other plain fields. */
interface ErrorFields {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: unknown;
  readonly code?: ErrorCode;
  readonly path?: string;
  /** The fields that its class adds. */
  readonly own?: Readonly<Record<string, unknown>>;
}

const errorFields = (error: Error): ErrorFields => {
  const { name, message, stack } = error;
  const cause = error.cause === undefined ? {} : { cause: plainOr(error.cause) };
  if (isInterlockError(error)) return { name, message, stack, ...cause, code: error.code, path: error.path };
  const own = Object.entries(error).filter(([field, value]) => !(field in cause) && isEncodable(value));
  return { name, message, stack, ...cause, ...(own.length > 0 && { own: Object.fromEntries(own) }) };
};

/** An error may have any value as its cause; one that cannot be encoded becomes its text. */
const plainOr = (value: unknown): unknown => (isEncodable(value) ? value : String(value));

const isEncodable = (value: unknown): boolean => {
  try {
    encode(value);
    return true;
  } catch {
    return false;
  }
};

const revivedError = ({ name, message, stack, cause, code, path, own }: ErrorFields): Error => {
  const error = code ? new InterlockError(code, { path, cause }) : new Error(message, cause === undefined ? {} : { cause });
  const hidden = { name, message, stack };
  for (const [field, value] of Object.entries(hidden))
    Object.defineProperty(error, field, { value, configurable: true, writable: true });
  if (code) Object.defineProperty(error, 'docs', { enumerable: false }); // as callers get it
  return Object.assign(error, own);
};
