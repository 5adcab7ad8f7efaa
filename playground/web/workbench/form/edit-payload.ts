import type { FormField } from './form-fields.js';
import type { Payload } from './json-schema.js';

/** The payload with a field set, or without it if `value` is undefined; all other fields are kept, known or not. */
export const setField = (payload: Payload, name: string, value: unknown): Payload => {
  const { [name]: _, ...others } = payload;
  return value === undefined ? others : { ...payload, [name]: value };
};

/** Another phase's payload and fields. */
interface Destination {
  readonly example: Payload;
  readonly fields: readonly FormField[];
}

/**
 * The initial payload of another phase: its example, with the user's changes to common fields, and with all
 * fields that neither form contains.
 */
export const carryOver = (payload: Payload, from: Destination, to: Destination): Payload => {
  const shared = to.fields.filter(({ name, kind }) => kind !== 'fixed' && isChanged(payload, from.example, name));
  const edited = shared.map(({ name }) => [name, payload[name]]).filter(([, value]) => value !== undefined);
  const known = new Set([...from.fields, ...to.fields].map(({ name }) => name));
  const others = Object.entries(payload).filter(([name]) => !known.has(name));
  return { ...to.example, ...Object.fromEntries([...edited, ...others]) };
};

const isChanged = (payload: Payload, example: Payload, name: string): boolean =>
  JSON.stringify(payload[name]) !== JSON.stringify(example[name]);

/** The value of typed JSON, or the reason why it is invalid. An empty text is no value; in a text field a word needs no quotes. */
export const readJson = (text: string, takesText: boolean): { readonly value: unknown } | { readonly error: string } => {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (takesText && !/^\s*["[{]/.test(text)) return { value: text.trim() };
    return { error: error instanceof Error ? error.message : String(error) };
  }
};

/** A value as JSON to be edited; empty for undefined. */
export const writeJson = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

/** The field that an error is about, and the path in it: `input.messages.0.role` is `messages`, `0.role`. */
export const fieldOfError = (path: string, phase: string): { readonly field: string; readonly within: string } => {
  const [first = '', ...rest] = (path.startsWith(`${phase}.`) ? path.slice(phase.length + 1) : path).split('.');
  return { field: first, within: rest.join('.') };
};
