/** How a text of a trace is written down. */
export type MapText = (text: string) => string;

/** Fields that contain names, not text: their values are needed to find things, and are not secret. */
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

/** Whether a field holds a name. */
export const isNameField = (key: string): boolean => nameFields.has(key);

/** The field under which a value says what it was before it was written as JSON. */
const tag = '$';

interface Tagged {
  readonly [tag]: 'date' | 'bytes' | 'url' | 'error' | 'object' | 'bigint';
  readonly value: unknown;
}

/** What is kept of an error: what guards and people read. Requests and headers may hold secrets, and are not among it. */
const errorFields = ['name', 'message', 'code', 'status', 'statusCode', 'isRetryable', 'type', 'responseBody', 'path'] as const;

/** How deep anything is followed: a cause of a cause of an error, a tree that a tool returned. */
const mostDeep = 64;

/**
 * A value as JSON, by copy. Dates, bytes, addresses and errors say what they were; functions and instances of other classes are
 * left out, for they may hold anything. With `mapText` each text is written as it says, names aside.
 */
export const toPlainJson = (value: unknown, mapText?: MapText): unknown => plain(value, { mapText, depth: 0, isName: false });

interface Walk {
  readonly mapText: MapText | undefined;
  readonly depth: number;
  readonly isName: boolean;
}

const plain = (value: unknown, walk: Walk): unknown => {
  if (typeof value === 'string') return walk.mapText && !walk.isName ? walk.mapText(value) : value;
  if (typeof value === 'number') return plainNumber(value, walk);
  if (typeof value === 'bigint') return tagged('bigint', String(value));
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object' || walk.depth > mostDeep) return undefined;
  return plainObject(value, { ...walk, depth: walk.depth + 1 });
};

/** A number may be personal: an account, a card. */
const plainNumber = (value: number, { mapText, isName }: Walk): unknown => {
  const text = String(value);
  const mapped = mapText && !isName ? mapText(text) : text;
  return mapped === text ? value : mapped;
};

const plainObject = (value: object, walk: Walk): unknown => {
  if (Array.isArray(value)) return value.map((entry) => plain(entry, walk) ?? null);
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
    const written = plain(field, { ...walk, isName: isNameField(key) });
    if (written !== undefined) made[key] = written;
  }
  return made;
};

const plainError = (error: Error, walk: Walk): unknown => {
  const fields = error as unknown as Record<string, unknown>; // errors of providers carry more than the standard's fields
  const kept = errorFields.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const]));
  const { cause } = error;
  return plainFields({ ...Object.fromEntries(kept), ...(cause !== undefined && { cause }) }, walk);
};

const tagged = (kind: Tagged[typeof tag], value: unknown): Tagged => ({ [tag]: kind, value });

const isRecord = (value: object): value is Record<string, unknown> => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** What was written by {@link toPlainJson}, as it was; with `mapText` each text is read as it says, names aside. */
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

const revived = ({ [tag]: kind, value }: Tagged, mapText: MapText | undefined): unknown => {
  switch (kind) {
    case 'date':
      return new Date((value as string | null) ?? NaN); // JSON has null for an invalid date
    case 'url':
      return new URL(value as string);
    case 'bytes':
      return new Uint8Array(Buffer.from(value as string, 'base64'));
    case 'bigint':
      return BigInt(value as string);
    case 'error':
      return revivedError(revivedFields(value as object, mapText));
    case 'object':
      return revivedFields(value as object, mapText);
    default:
      return kind satisfies never;
  }
};

const revivedError = ({ message, cause, ...fields }: Record<string, unknown>): Error => {
  const error = new Error(String(message), cause === undefined ? undefined : { cause });
  for (const [name, field] of Object.entries(fields))
    Object.defineProperty(error, name, { value: field, configurable: true, writable: true });
  return error;
};
