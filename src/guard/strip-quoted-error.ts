import { errorTable, InterlockError, isInterlockError } from '../errors.js';
import { fieldsIn, isObject, isRecord } from '../phase/plain-data.js';
import { leavesOf } from './map-texts.js';
import { stripQuotedSecrets } from './secrets.js';
import { attempted } from '../phase/awaitable.js';

/** Fields of an error that callers get. Providers use any names for fields with a request, so that this list is an allowlist. */
const safeFields = new Set<PropertyKey>(
  (
    'name message id code type status statusCode statusText isRetryable retryable retryAfter retryAfterMs reason errno syscall param ' +
    'requestId request_id requestID actor path domain category finishReason modelId provider attempts'
  ).split(' '),
);
/** Loggers read an error's own errors whether or not they are enumerable. */
const nestedFields = new Set<PropertyKey>(['cause', 'errors', 'lastError']);
/** A shown text is a name or a short reason. */
const mostChars = 200;

/** Minimal length of a quotation of the content, in characters. */
const quoteChars = 12;
/** A word of the content that may be a value is removed at any length. A stop belongs to a word only inside it. */
const word = /(?:[^\s"'`,;()[\]{}<>=\\.:!?…]|[.:!?](?=[^\s"'`,;()[\]{}<>=\\.:!?…]))+/g;
const isValue = (text: string): boolean => text.length > 3 && /[\d@]/.test(text);

/** Removes quotations of a content from a text. */
export const cutQuotesOf = (content: string): ((text: string) => string) => {
  const words = new Set(content.match(word)?.filter(isValue));
  return (text) => {
    const cut = content.length < quoteChars ? text : stripQuotedSecrets(text, { content, fromChars: quoteChars });
    return cut.replaceAll(word, (one) => (words.has(one) ? '…' : one));
  };
};

/**
 * The error for callers: its class and the fields about the failure, without quotations of the request. Code in the process can still
 * read the other fields; copies, JSON and logs do not have them. It is the same object, unless it is frozen or its message has to be cut.
 */
export const stripQuotedError = (error: unknown, cut: (text: string) => string): unknown => {
  try {
    const cutRecord = cutQuotesOf(recordOf(error).join('\n'));
    return stripped(error, { cut: (text) => cut(cutRecord(text)), seen: new Map() });
  } catch {
    return unreadable(error);
  }
};

/** An error whose cause cannot be read keeps its code and path. */
const unreadable = (error: unknown): Error => {
  const detail = 'The error cannot be read.';
  try {
    if (isInterlockError(error)) return new InterlockError(error.code, { path: error.path, detail });
  } catch {
    // It is a proxy whose traps throw.
  }
  return new Error(detail);
};

/** Fields in which an error keeps the response that it is about. */
const recordFields = ['text', 'value', 'data', 'body', 'responseBody', 'content', 'output'] as const;

/** The texts of the response that an error and its causes are about. A response with an error status is the provider's description of it. */
const recordOf = (error: unknown, seen = new Set<unknown>()): string[] => {
  if (!isObject(error) || seen.has(error)) return [];
  seen.add(error);
  if (Array.isArray(error)) return error.flatMap((one) => recordOf(one, seen));
  const fields = fieldsIn(error);
  const status = fields['statusCode'] ?? fields['status'];
  if (typeof status === 'number' && status >= 400) return [];
  const own = recordFields.flatMap((name) => leavesOf(parsed(fields[name])).map(String));
  return [...own, ...[...nestedFields].flatMap((name) => recordOf(fields[name as string], seen))];
};

/** A text and, if it is JSON, the texts in it. */
const parsed = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  const json = attempted((): unknown => JSON.parse(value));
  return json === undefined ? value : [value, json];
};

interface Showing {
  readonly cut: (text: string) => string;
  readonly seen: Map<object, unknown>;
}

const isErrorLike = (value: unknown): value is Error => value instanceof Error || typeof fieldsIn(value)['message'] === 'string';

/** A thrown object without a message, or one as the cause of an error: a provider's response body. */
const isBody = (value: unknown): value is object => isRecord(value) && !isErrorLike(value);

const stripped = (error: unknown, showing: Showing): unknown => {
  if (typeof error === 'string') return showing.cut(error);
  if (Array.isArray(error)) return strippedList(error, showing);
  if (isBody(error)) return strippedBody(error, showing);
  if (!isErrorLike(error)) return error;
  if (showing.seen.has(error)) return showing.seen.get(error);
  const advice = adviceOf(error);
  const message = showing.cut(error.message.slice(0, error.message.length - advice.length)) + advice;
  const canChange = message === error.message && isChangeable(error);
  const target: Error = canChange ? error : error instanceof Error ? new Error(message) : ({} as Error);
  showing.seen.set(error, target);
  const fields = fieldsOf(error, { message, target }, showing);
  if (!canChange) Object.setPrototypeOf(target, Reflect.getPrototypeOf(error));
  Object.defineProperties(target, fields);
  return target;
};

/** The end of the message of an Interlock error, which is the same in each of them. */
const adviceOf = (error: Error): string => {
  const advice = isInterlockError(error) ? errorTable[error.code]?.say : undefined; // another version may have other codes
  return advice && error.message.endsWith(advice) ? advice : '';
};

const strippedList = (list: readonly unknown[], showing: Showing): unknown => {
  if (showing.seen.has(list)) return showing.seen.get(list);
  const target: unknown[] = [];
  showing.seen.set(list, target);
  for (const one of list) target.push(stripped(one, showing));
  return target;
};

/** The same body if all of it is shown; otherwise a copy, in which fields that may quote the request are readable but not enumerable. */
const strippedBody = (body: object, showing: Showing): object => {
  const fields = Object.entries(Object.getOwnPropertyDescriptors(body));
  if (fields.every(([name, field]) => !field.enumerable || isSafe(name, field, showing))) return body;
  const target = {};
  for (const [name, field] of fields)
    Object.defineProperty(target, name, { ...field, configurable: true, enumerable: isSafe(name, field, showing) });
  return target;
};

const isChangeable = (error: object): boolean =>
  Object.isExtensible(error) && Object.values(Object.getOwnPropertyDescriptors(error)).every(({ configurable }) => configurable);

type Fields = Record<PropertyKey, PropertyDescriptor>;

/** The shown fields of an error; all of them can be changed again. */
const fieldsOf = (error: Error, { message, target }: { message: string; target: Error }, showing: Showing): Fields => {
  const fields: Fields = {};
  for (const name of Reflect.ownKeys(error)) {
    const field = { ...Object.getOwnPropertyDescriptor(error, name), configurable: true };
    fields[name] = nestedFields.has(name)
      ? nested(field, showing)
      : { ...field, enumerable: field.enumerable && isSafe(name, field, showing) };
  }
  if (message !== error.message) {
    fields['message'] = { value: message, enumerable: fields['message']?.enumerable, configurable: true, writable: true };
    const stack = error.stack?.replaceAll(error.message, message);
    fields['stack'] = { value: stack, enumerable: false, configurable: true, writable: true };
  }
  if (typeof fieldsIn(error)['toJSON'] === 'function')
    fields['toJSON'] = {
      value: () => Object.assign({ name: target.name, message: target.message }, target),
      configurable: true,
      writable: true,
    };
  return fields;
};

const isSafe = (name: PropertyKey, { value }: PropertyDescriptor, { cut }: Showing): boolean => {
  if (typeof value === 'string')
    return typeof name === 'string' && safeFields.has(name) && value.length <= mostChars && cut(value) === value;
  if (typeof value === 'object' || typeof value === 'function') return value === null;
  return typeof name === 'symbol' ? typeof value === 'boolean' : safeFields.has(name); // marks of the AI SDK's errors
};

/** Errors inside an error are stripped too; anything else gets a getter, which no logger calls. */
const nested = ({ value, get, ...field }: PropertyDescriptor, showing: Showing): PropertyDescriptor => {
  const { configurable } = field;
  if (get) return { get, configurable, enumerable: false };
  const errors = stripped(value, showing);
  const isPlain = Array.isArray(errors) ? errors.every(isErrorValue) : isErrorValue(errors);
  return isPlain
    ? { value: errors, configurable, writable: true, enumerable: false }
    : { get: () => errors, configurable, enumerable: false };
};

const isErrorValue = (value: unknown): boolean => typeof value !== 'object' || value === null || isErrorLike(value);
