import { fieldsIn } from './plain-data.js';

/** Fields that name the value next to them, as in `{ name: 'DB_PASSWORD', value: '…' }`. */
const namingFields = ['name', 'key', 'header', 'field', 'label', 'variable', 'parameter', 'param', 'property', 'id'] as const;
/** Fields without a name of their own. */
const valueField = /^(?:values?|val|content|text|data|default)$/i;
/** A label is short, and has no sentence in it. */
const label = /^[\p{L}\p{N}_.$ -]+$/u;
const longestLabel = 64;

/** The label of a field's value: its name, or for a field such as `value` the name next to it, or the label of the whole. */
export const labelOfField = (fields: object, name: string, whole?: string): string | undefined => {
  if (!valueField.test(name)) return name;
  const named = fieldsIn(fields);
  const naming = namingFields.find((field) => isLabel(named[field]));
  return naming ? String(named[naming]) : whole;
};

/** The label of a list's item: the flag before it (`--password`), the label of the list, or in a list without one, the first item of a pair. */
export const labelOfItem = (items: readonly unknown[], index: number, whole?: string): string | undefined => {
  const [item, before] = [items[index], items[index - 1]];
  if (Array.isArray(item) && item.length === 2) return undefined;
  const isNamed = isLabel(before) && (before.startsWith('-') || (items.length === 2 && whole === undefined));
  return isNamed ? before : whole;
};

const isLabel = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= longestLabel && label.test(value);

/** Text that introduces a value with this label, as a finder of labeled values reads it: `client_Secret: `. */
export const leadOf = (name: string): string =>
  name.startsWith('-') ? `${name} ` : `${name.slice(-64).replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')}: `;
