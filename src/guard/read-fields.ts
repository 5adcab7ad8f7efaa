import { mapTexts } from './map-texts.js';
import { readFile, type TextReading } from './read-file.js';
import { ruleOf } from './stream-fields.js';

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
