import { isRecord, type JsonSchema, type Payload } from './json-schema.js';

/**
 * The first example of a schema; without one, the smallest valid value: required fields only, and the first of several forms.
 * `now` is the value of times, in ISO 8601.
 */
export const exampleOf = (schema: JsonSchema, now: string): unknown => {
  const [given = schema.default ?? schema.const ?? schema.enum?.[0]] = schema.examples ?? [];
  if (given !== undefined) return given;
  const [form] = schema.anyOf ?? [];
  if (form) return exampleOf(form, now);
  const type = typeof schema.type === 'object' ? schema.type[0] : schema.type;
  return least[type ?? 'null']?.(schema, now) ?? null;
};

/** The example of a phase's payload. */
export const examplePayload = (schema: JsonSchema, now: string): Payload => {
  const example = exampleOf(schema, now);
  return isRecord(example) ? example : {};
};

const least: Partial<Record<string, (schema: JsonSchema, now: string) => unknown>> = {
  string: ({ format }, now) => (format === 'date-time' ? now : ''),
  number: () => 0,
  integer: () => 0,
  boolean: () => false,
  array: () => [],
  object: ({ properties = {}, required = [] }, now) =>
    Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {}, now)])),
};
