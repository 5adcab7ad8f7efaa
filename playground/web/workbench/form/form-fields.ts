import { wordsOf } from '../../components/text-pairs.js';
import type { JsonSchema } from './json-schema.js';

/**
 * The input of a field.
 *
 * - `fixed`: it has one value, which identifies the payload
 * - `spoken`: messages as rows of role and text
 * - `group`: nested fields
 * - `json`: anything else, as JSON
 */
export type FieldKind = 'fixed' | 'text' | 'number' | 'choice' | 'texts' | 'spoken' | 'group' | 'json';

/** A field of a payload in a form. */
export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
}

/** The fields of a form, in the schema's order, without those that only code can set. */
export const formFieldsOf = ({ properties = {}, required = [] }: JsonSchema): FormField[] =>
  Object.entries(properties)
    .filter(([, schema]) => !schema.readOnly)
    .map(([name, schema]) => {
      const isRequired = required.includes(name);
      const kind = schema.const !== undefined && isRequired ? 'fixed' : kindOf(schema);
      return { name, title: wordsOf(name), description: schema.description ?? '', kind, isRequired, schema };
    });

/** The values of a field of kind `choice`. */
export const choicesOf = (schema: JsonSchema): readonly unknown[] =>
  schema.enum ?? (schema.const !== undefined ? [schema.const] : schema.type === 'boolean' ? [true, false] : []);

const kindOf = (schema: JsonSchema): FieldKind => {
  if (choicesOf(schema).length > 0) return 'choice';
  if (schema.type === 'array') return kindOfList(schema.items ?? {});
  if (schema.type === 'object') return schema.properties ? 'group' : 'json';
  return (typeof schema.type === 'string' ? simpleKinds[schema.type] : undefined) ?? 'json';
};

const simpleKinds: Partial<Record<string, FieldKind>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
};

const kindOfList = ({ type, properties = {} }: JsonSchema): FieldKind => {
  if (type === 'string') return 'texts';
  return 'role' in properties && 'content' in properties ? 'spoken' : 'json';
};
