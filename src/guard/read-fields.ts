import { mapTexts, type ChangeText } from './map-texts.js';
import { ruleOf } from './stream-fields.js';

/** The function that reads the texts of a field. */
interface TextReading {
  /** The releasable version of a text; the same text if nothing is found. Throws to block. */
  readonly change: ChangeText;
}

type Fields = Readonly<Record<string, unknown>>;

/** The releasable version of a chunk's payload fields; the same object if nothing changed. */
export const readFields = (type: string, payload: Fields, reading: TextReading): Fields => {
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(payload)) {
    if (value === undefined || value === null || typeof value === 'boolean') continue;
    const read = readField(type, name, { value, payload, reading });
    if (read !== value) copy = { ...(copy ?? payload), [name]: read };
  }
  return copy ?? payload;
};

interface Field {
  readonly value: unknown;
  readonly payload: Fields;
  readonly reading: TextReading;
}

const readField = (type: string, name: string, { value, payload, reading }: Field): unknown => {
  const rule = ruleOf(type, name);
  switch (rule) {
    case 'window':
    case 'texts':
      return mapTexts(value, reading.change);
    case 'file':
      return readFile(value, payload['mimeType'] ?? payload['mediaType'], reading);
    case 'metadata':
      return readMetadata(value, reading);
    case 'arguments':
    case 'dropped':
    case 'passed':
      return value;
    default:
      return rule satisfies never;
  }
};

/** Fields of provider metadata that the provider needs back unchanged with the next prompt, or that identify its own objects. */
const opaque =
  /^(signature|thoughtSignature|thought_signature|itemId|responseId|id|redactedData|(reasoning)?[eE]ncrypted_?[cC]ontent|phase)$/;

/** The releasable version of provider metadata. A list is emptied if its joined texts contain a match that none of them contains alone. */
const readMetadata = (value: unknown, reading: TextReading): unknown => {
  if (typeof value === 'string') return reading.change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const copy = value.map((one: unknown) => readMetadata(one, reading));
    const whole = [...rowsOf(value).values()].map((row) => reading.change(row)); // every text is read, so that their order stays
    if ([...rowsOf(copy).values()].some((row, index) => row !== whole[index])) return [];
    return copy.some((one, index) => one !== value[index]) ? copy : value;
  }
  const before = Object.entries(value);
  const after = before.map(([name, one]) => [name, opaque.test(name) ? one : readMetadata(one, reading)] as const);
  return after.every(([, one], index) => one === before[index]?.[1]) ? value : Object.fromEntries(after);
};

/** The texts of a list's entries, joined by their path in an entry. */
const rowsOf = (list: readonly unknown[]): Map<string, string> => {
  const rows = new Map<string, string>();
  const gather = (value: unknown, path: string): void => {
    if (typeof value === 'string') rows.set(path, (rows.get(path) ?? '') + value);
    else if (typeof value === 'object' && value !== null)
      for (const [name, one] of Object.entries(value)) gather(one, Array.isArray(value) ? `${path}[]` : `${path}.${name}`);
  };
  for (const one of list) gather(one, '');
  return rows;
};

/** Mastra's field for what the model reads in place of a tool's result. Guards judge it like the result. */
const judgedName = 'modelOutput';

/** Reduces provider metadata after a guard's edit of the response to what the provider needs back, and numbers. */
export const withoutQuotations = (metadata: unknown): unknown => {
  if (typeof metadata !== 'object' || metadata === null) return typeof metadata === 'string' ? undefined : metadata;
  if (Array.isArray(metadata)) return [];
  const copy = Object.entries(metadata).flatMap(([name, one]): [string, unknown][] => {
    const text: unknown = opaque.test(name) || name === judgedName ? one : withoutQuotations(one);
    return text === undefined ? [] : [[name, text]];
  });
  return Object.fromEntries(copy);
};

const textTypes = /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|csv|rtf|x-ndjson|.*\+(json|xml))|message\/)/i;

/** The releasable version of a file: bytes, base64, a data URL, plain text or an address, tagged or not. */
const readFile = (data: unknown, mimeType: unknown, reading: TextReading): unknown => {
  if (typeof data === 'string') return readFileText(data, mimeType, reading);
  if (data instanceof URL) {
    const copy = readFileText(data.href, mimeType, reading);
    return copy === data.href ? data : toUrl(copy);
  }
  if (isTagged(data)) {
    const value = data[data.type];
    const copy = readFile(value, data.type === 'text' ? 'text/plain' : mimeType, reading);
    return copy === value ? data : { ...data, [data.type]: copy };
  }
  if (!(data instanceof Uint8Array) || !textTypes.test(String(mimeType))) return data;
  return edited(data, new TextDecoder().decode(data), { ...reading, write: encode });
};

const readFileText = (data: string, mimeType: unknown, reading: TextReading): string => {
  if (/^https?:/i.test(data)) return reading.change(data);
  const [head, described] = /^data:([^,]*),/i.exec(data) ?? [];
  const [urlType, ...parameters] = described?.split(';') ?? [];
  if (![mimeType, urlType].some((type) => typeof type === 'string' && textTypes.test(type))) return data; // hosts trust either
  if (head === undefined) return readBase64('', data, reading);
  const body = data.slice(head.length);
  if (parameters.at(-1)?.toLowerCase() === 'base64') return readBase64(head, body, reading);
  return edited(data, decodeURIComponent(body), { ...reading, write: (text) => head + encodeURIComponent(text) });
};

/** The AI SDK's newer form of a file: its type names the field with the content. */
const isTagged = (data: unknown): data is { readonly type: 'data' | 'url' | 'text' } & Fields => {
  if (typeof data !== 'object' || data === null || !('type' in data)) return false;
  return (data.type === 'data' || data.type === 'url' || data.type === 'text') && data.type in data;
};

/** An edited address; a text if it is no longer a URL. */
const toUrl = (text: string): URL | string => (URL.canParse(text) ? new URL(text) : text);

const readBase64 = (head: string, body: string, reading: TextReading): string => {
  const text = fromBase64(body);
  if (text === undefined) return head + reading.change(body);
  return edited(head + body, text, { ...reading, write: (copy) => head + toBase64(encode(copy)) });
};

const edited = <T>(data: T, text: string, { change, write }: TextReading & { write(text: string): T }): T => {
  const copy = change(text);
  return copy === text ? data : write(copy);
};

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const fromBase64 = (data: string): string | undefined => {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)));
  } catch {
    return undefined; // invalid base64
  }
};

/** Bytes as base64. */
export const toBase64 = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
