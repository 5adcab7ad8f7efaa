import type { FormField } from './form-fields.js';
import { isRecord, type Payload } from './json-schema.js';

/** The payload with a field set, or without it where `value` is undefined; all others are kept, known or not. */
export const setField = (payload: Payload, name: string, value: unknown): Payload => {
  const { [name]: _, ...others } = payload;
  return value === undefined ? others : { ...payload, [name]: value };
};

/** The fields of a payload that a form does not know. They are kept as they are, and can be seen as JSON. */
export const otherFields = (payload: Payload, fields: readonly FormField[]): Payload => {
  const known = new Set(fields.map(({ name }) => name));
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !known.has(name)));
};

/** The payload with other fields that its form does not know. */
export const setOtherFields = (payload: Payload, fields: readonly FormField[], others: Payload): Payload => {
  const known = new Set(fields.map(({ name }) => name));
  return { ...Object.fromEntries(Object.entries(payload).filter(([name]) => known.has(name))), ...others };
};

/** Another phase's payload and fields. */
interface Destination {
  readonly example: Payload;
  readonly fields: readonly FormField[];
}

/**
 * The payload to begin another phase with: its example, with what a person had changed and the other phase has too, and with all
 * fields that neither form knows.
 */
export const carryOver = (payload: Payload, from: Destination, to: Destination): Payload => {
  const shared = to.fields.filter(({ name, kind }) => kind !== 'fixed' && isChanged(payload, from.example, name));
  const edited = shared.map(({ name }) => [name, payload[name]]).filter(([, value]) => value !== undefined);
  return { ...to.example, ...Object.fromEntries(edited), ...otherFields(payload, [...from.fields, ...to.fields]) };
};

const isChanged = (payload: Payload, example: Payload, name: string): boolean =>
  JSON.stringify(payload[name]) !== JSON.stringify(example[name]);

/** What was typed as JSON, or why it is none. An empty text is no value; a word that the field takes as it is needs no quotes. */
export const readJson = (text: string, takesText: boolean): { readonly value: unknown } | { readonly error: string } => {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (takesText && !/^\s*["[{]/.test(text)) return { value: text.trim() };
    return { error: error instanceof Error ? error.message : String(error) };
  }
};

/** A value as JSON to be edited; nothing is an empty text. */
export const writeJson = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

/** What was typed as a whole payload. */
export const readPayload = (text: string): { readonly payload: Payload } | { readonly error: string } => {
  const read = readJson(text, false);
  if ('error' in read) return read;
  return isRecord(read.value) ? { payload: read.value } : { error: 'A payload is an object: { … }.' };
};

/** The field that an error is about, and where in it: `input.messages.0.role` is `messages`, `0.role`. */
export const fieldOfError = (path: string, phase: string): { readonly field: string; readonly within: string } => {
  const [first = '', ...rest] = (path.startsWith(`${phase}.`) ? path.slice(phase.length + 1) : path).split('.');
  return { field: first, within: rest.join('.') };
};
