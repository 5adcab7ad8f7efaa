import { attempted } from '../phase/awaitable.js';

/** Changes a text; `label` is the key that names it. */
export type ChangeText = (text: string, label?: string) => string;

/** The function that reads the texts of a field. */
export interface TextReading {
  /** The releasable version of a text; the same text if nothing is found. Throws to block. */
  readonly change: ChangeText;
}

type Fields = Readonly<Record<string, unknown>>;

/** Types of texts, also those whose suffix names their syntax, such as `image/svg+xml`. */
const textTypes =
  /^(?:(?:text|message)\/|application\/(?:json|xml|(?:x-)?yaml|toml|sql|graphql|(?:x-)?javascript|(?:x-)?typescript|x-sh|csv|rtf|x-ndjson|x-www-form-urlencoded)|[\w.-]{1,64}\/[\w.-]{1,128}\+(?:json|xml|yaml))/i;

/** The releasable version of a file: bytes, base64, a data URL, plain text or an address, tagged or not. */
export const readFile = (data: unknown, mimeType: unknown, reading: TextReading): unknown => {
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
  return edited(data, textOf(data), { ...reading, write: encode });
};

const readFileText = (data: string, mimeType: unknown, reading: TextReading): string =>
  /^https?:/i.test(data) ? reading.change(data) : (readEncoded(data, mimeType, reading) ?? data);

/** The type of the file in a field, which its object names, or one around it; undefined for a field that holds no file. */
export const fileTypeOf = (fields: Fields, field: string, around: unknown): unknown => {
  if (!fileFields.has(field)) return undefined; // a plain text in another field may look like base64
  const name = typeNames.find((one) => typeof fields[one] === 'string');
  return name === undefined || (name === 'type' && !textTypes.test(String(fields['type']))) ? around : fields[name];
};

const fileFields = new Set(['data', 'blob', 'base64', 'base64Data']);
const typeNames = ['mediaType', 'mimeType', 'contentType', 'media_type', 'mime_type', 'type'] as const;

/** The releasable version of an encoded text: base64 of a text type, or the data URL of a text; undefined if it is neither. */
export const readEncoded = (data: string, mimeType: unknown, reading: TextReading): string | undefined => {
  // Most texts are no URL, and long.
  const [head, described] = (data.slice(0, 5).toLowerCase() === 'data:' && /^data:([^,]*),/i.exec(data)) || [];
  const [urlType, ...parameters] = described?.split(';') ?? [];
  if (![mimeType, urlType].some((type) => typeof type === 'string' && textTypes.test(type))) return undefined; // hosts trust either
  if (head === undefined) return readBase64('', data, reading);
  const body = data.slice(head.length);
  if (parameters.at(-1)?.trim().toLowerCase() === 'base64') return readBase64(head, body, reading);
  return edited(data, decoded(body), { ...reading, write: (text) => head + encodeURIComponent(text) });
};

/** Percent codes that are no UTF-8 do not hide the others. */
const decoded = (body: string): string =>
  body.replaceAll(/(?:%[\da-f]{2})+/gi, (codes) => {
    const bytes = codes.slice(1).split('%');
    return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
  });

/** The AI SDK's newer form of a file: its type names the field with the content. */
const isTagged = (data: unknown): data is { readonly type: 'data' | 'url' | 'text' } & Fields => {
  if (typeof data !== 'object' || data === null || !('type' in data)) return false;
  return (data.type === 'data' || data.type === 'url' || data.type === 'text') && data.type in data;
};

/** An edited address; a text if it is no longer a URL. */
const toUrl = (text: string): URL | string => (URL.canParse(text) ? new URL(text) : text);

/** A longer text in base64 is no plain text. */
const maxPlainChars = 64;

/** A plain text may look like base64, but it seldom decodes to a text: both are read, unless it must be base64. */
const readBase64 = (head: string, body: string, reading: TextReading): string => {
  const text = fromBase64(body);
  const isEncoded = body.length > maxPlainChars && text?.includes('\uFFFD') === false;
  const plain = isEncoded ? body : reading.change(body);
  if (text === undefined) return head + plain;
  return edited(head + plain, text, { ...reading, write: (copy) => head + toBase64(encode(copy)) });
};

const edited = <T>(data: T, text: string, { change, write }: TextReading & { write(text: string): T }): T => {
  const copy = change(text);
  return copy === text ? data : write(copy);
};

/** The text of bytes: UTF-16 if they begin with its mark, else UTF-8. */
const textOf = (bytes: Uint8Array): string => {
  const mark =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(mark).decode(bytes);
};

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Undefined for invalid base64. */
const fromBase64 = (data: string): string | undefined =>
  attempted(() => textOf(Uint8Array.from(atob(data.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))));

/** Bytes as base64. */
export const toBase64 = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
