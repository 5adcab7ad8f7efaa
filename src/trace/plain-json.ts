import { labelOfField, labelOfItem } from '../phase/labels.js';
import { isRecord, fieldsIn } from '../phase/plain-data.js';

/** Maps a text before it is recorded; `label` is the key of the field that contains it. */
export type MapText = (text: string, label?: string) => string;

/** Fields with names, not text: their values are needed to find things, and are not secret. */
const nameFields = new Set([
  'type',
  'id',
  'role',
  'runId',
  'from',
  'messageId',
  'toolCallId',
  'toolName',
  'modelId',
  'provider',
  'modelVersion',
  'modelProvider',
  'specificationVersion',
  'threadId',
  'resourceId',
  'createdAt',
  'mimeType',
  'mediaType',
  'state',
  'format',
]);

/** Whether a field contains a name. */
const isNameField = (key: string): boolean => nameFields.has(key);

/** The field with a value's type before it was converted to JSON. */
const tag = '$';

type Tagged =
  | { readonly [tag]: 'date'; readonly value: string | null } // JSON has null for an invalid date
  | { readonly [tag]: 'bytes' | 'url' | 'bigint'; readonly value: string }
  | { readonly [tag]: 'error' | 'object'; readonly value: object };

/** The recorded fields of an error: those that guards and people read. Requests and headers may contain secrets, and are left out. */
const errorFields = ['name', 'message', 'code', 'status', 'statusCode', 'isRetryable', 'type', 'responseBody', 'path'] as const;

/** The maximum depth of nested values: causes of errors, trees that a tool returned. */
const mostDeep = 64;

/**
 * A copy of a value as JSON. Dates, bytes, URLs and errors keep their type; functions and instances of other classes are
 * left out, because they may contain anything. `mapText` maps each text except names.
 */
export const toPlainJson = (value: unknown, mapText?: MapText): unknown => plain(value, { mapText, depth: 0, isName: false });

interface Walk {
  readonly mapText: MapText | undefined;
  readonly depth: number;
  readonly isName: boolean;
  readonly label?: string | undefined;
}

const plain = (value: unknown, walk: Walk): unknown => {
  if (typeof value === 'string') return walk.mapText && !walk.isName ? walk.mapText(value, walk.label) : value;
  if (typeof value === 'number') return plainNumber(value, walk);
  if (typeof value === 'bigint') return tagged('bigint', String(value));
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object' || walk.depth > mostDeep) return undefined;
  return plainObject(value, { ...walk, depth: walk.depth + 1 });
};

/** A number may be personal: an account, a card. */
const plainNumber = (value: number, { mapText, isName, label }: Walk): unknown => {
  const text = String(value);
  const mapped = mapText && !isName ? mapText(text, label) : text;
  return mapped === text ? value : mapped;
};

const plainObject = (value: object, walk: Walk): unknown => {
  if (Array.isArray(value))
    return value.map((entry, index) => plain(entry, { ...walk, label: labelOfItem(value, index, walk.label) }) ?? null);
  if (value instanceof Date) return tagged('date', value.toJSON());
  if (value instanceof URL) return tagged('url', plain(value.href, walk));
  if (value instanceof Uint8Array) return tagged('bytes', Buffer.from(value).toString('base64'));
  if (value instanceof Error) return tagged('error', plainError(value, walk));
  if (!isRecord(value)) return undefined;
  const fields = plainFields(value, walk);
  return tag in value ? tagged('object', fields) : fields;
};

const plainFields = (value: Record<string, unknown>, walk: Walk): Record<string, unknown> => {
  const made: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    const written = plain(field, { ...walk, isName: isNameField(key), label: labelOfField(value, key, walk.label) });
    if (written !== undefined) made[key] = written;
  }
  return made;
};

const plainError = (error: Error, walk: Walk): unknown => {
  const fields = fieldsIn(error); // provider errors have more fields than the standard ones
  const present = errorFields.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const]));
  const { cause } = error;
  return plainFields({ ...Object.fromEntries(present), ...(cause !== undefined && { cause }) }, walk);
};

const tagged = (kind: Tagged[typeof tag], value: unknown) => ({ [tag]: kind, value });

/** Restores a value written by {@link toPlainJson}; `mapText` maps each text except names. */
export const fromPlainJson = (value: unknown, mapText?: MapText): unknown => {
  if (typeof value === 'string') return mapText ? mapText(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => fromPlainJson(entry, mapText));
  if (tag in value) return revived(value as Tagged, mapText);
  return revivedFields(value, mapText);
};

const revivedFields = (value: object, mapText: MapText | undefined): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, fromPlainJson(field, isNameField(key) ? undefined : mapText)]),
  );

const revived = (written: Tagged, mapText: MapText | undefined): unknown => {
  switch (written.$) {
    case 'date':
      return new Date(written.value ?? NaN);
    case 'url':
      return new URL(written.value);
    case 'bytes':
      return new Uint8Array(Buffer.from(written.value, 'base64'));
    case 'bigint':
      return BigInt(written.value);
    case 'error':
      return revivedError(revivedFields(written.value, mapText));
    case 'object':
      return revivedFields(written.value, mapText);
    default:
      return written satisfies never;
  }
};

const revivedError = ({ message, cause, ...fields }: Record<string, unknown>): Error => {
  const error = new Error(String(message), cause === undefined ? undefined : { cause });
  for (const [name, field] of Object.entries(fields))
    Object.defineProperty(error, name, { value: field, configurable: true, writable: true });
  return error;
};

/** A text in the input or output of a guard. */
export interface TextAt {
  /** A dotted path, e.g. `messages.3.content.parts.0.text`. */
  readonly target: string;
  readonly text: string;
}

/** The texts in a value, one per line. Names and ids are left out. */
export const wordsIn = (value: unknown): string =>
  textsIn(value)
    .map(({ text }) => text)
    .join('\n');

/** The texts in a value, with their paths. Names and ids are left out. */
export const textsIn = (value: unknown, target = ''): TextAt[] => {
  if (typeof value === 'string') return [{ target, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([key]) => Array.isArray(value) || !isNameField(key))
    .flatMap(([key, field]) => textsIn(field, target ? `${target}.${key}` : key));
};

/** The words of a chunk: of a text, of reasoning, or of streamed arguments. */
export const wordsOfChunk = ({ payload }: { readonly payload?: unknown }): string | undefined => {
  const { text, argsTextDelta = text } = fieldsIn(payload);
  return typeof argsTextDelta === 'string' ? argsTextDelta : undefined;
};

/** The maximum length of a value that is found when it is split: a key may be long. */
const longestValue = 1_024;

/** Conceals texts that arrive in pieces. It keeps back the end of each, because a value may continue in the next piece. */
export const createConcealedTexts = (conceal: (text: string) => string) => {
  const waiting = new Map<string, string>();
  return {
    /** The part of a growing text that may be recorded so far. */
    push: (id: string, text: string): string => {
      const concealed = conceal((waiting.get(id) ?? '') + text);
      const until = Math.max(0, concealed.length - longestValue);
      waiting.set(id, concealed.slice(until));
      return concealed.slice(0, until);
    },
    /** The rest of a text. */
    end: (id: string): string => {
      const rest = waiting.get(id) ?? '';
      waiting.delete(id);
      return conceal(rest);
    },
    /** Texts with an unrecorded rest. */
    get open() {
      return [...waiting.keys()];
    },
  };
};
