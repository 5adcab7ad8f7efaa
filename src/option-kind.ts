import { InterlockError } from './errors.js';

/** The kind of value that an option accepts. */
export interface OptionKind {
  /** True if the option is required. Default: optional. */
  readonly isNeeded?: boolean;
  /** The text after "it must be" in an error message. */
  readonly description: string;
  /** The fault of a value and its path. Undefined if the value is valid. */
  readonly faultOf: (value: unknown, path: string) => OptionFault | undefined;
}

/** The fault of an invalid value. */
interface OptionFault {
  readonly path: string;
  readonly detail: string;
  /** Set if the option does not exist. */
  readonly isUnknown?: true;
}

/** A kind that is recognized by its value. */
export const kind = (description: string, fits: (value: unknown) => boolean): OptionKind => ({
  description,
  faultOf: (value, path) => (fits(value) ? undefined : { path, detail: `it must be ${description}.` }),
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const anObject = kind('an object', isObject);
export const aFunction = kind('a function', (value) => typeof value === 'function');
export const aText = kind('a string', (value) => typeof value === 'string');
export const aBoolean = kind('true or false', (value) => typeof value === 'boolean');

/** A text that is not empty. */
export const aName = kind('a non-empty string', (value) => typeof value === 'string' && value !== '');

export const wholeNumberFrom = (least: number): OptionKind =>
  kind(`an integer of ${least} or more`, (value) => typeof value === 'number' && Number.isInteger(value) && value >= least);

/** A number in a range, inclusive. `Infinity` leaves the range open. */
export const numberFrom = (least: number, most = Infinity): OptionKind =>
  kind(
    most === Infinity ? `a number of ${least} or more` : `a number from ${least} to ${most}`,
    (value) => typeof value === 'number' && value >= least && value <= most, // NaN fails both
  );

export const oneOf = (...values: readonly string[]): OptionKind =>
  kind(inWords(values), (value) => (values as readonly unknown[]).includes(value));

/** An instance that is recognized by a method, because an application may load its class twice. */
export const instanceWith = (method: string, description: string): OptionKind =>
  kind(
    description,
    (value) => typeof value === 'object' && value !== null && typeof (value as Record<string, unknown>)[method] === 'function',
  );

/** One of two kinds. When both fail, the fault at the deeper path is reported. */
export const either = (one: OptionKind, other: OptionKind): OptionKind => {
  const description = `${one.description}, or ${other.description}`;
  return {
    description,
    faultOf: (value, path) => {
      const fault = one.faultOf(value, path);
      const otherFault = fault && other.faultOf(value, path);
      if (!otherFault) return undefined;
      const deeper = [fault, otherFault].find((found) => found.path !== path);
      return deeper ?? { path, detail: `it must be ${description}.` };
    },
  };
};

/** A required option. */
export const needed = (given: OptionKind): OptionKind => ({ ...given, isNeeded: true });

export const listOf = (entry: OptionKind): OptionKind => ({
  description: `an array (each item: ${entry.description})`,
  faultOf(value, path) {
    if (!Array.isArray(value)) return { path, detail: `it must be ${this.description}.` };
    return firstFault(value.map((of, at) => entry.faultOf(of, `${path}.${at}`)));
  },
});

/** An object in which every field that is set has the same kind. */
export const recordOf = (entry: OptionKind): OptionKind => ({
  description: `an object (each value: ${entry.description})`,
  faultOf(value, path) {
    if (!isObject(value)) return { path, detail: `it must be ${this.description}.` };
    return firstFault(Object.entries(value).map(([name, of]) => (of === undefined ? of : entry.faultOf(of, `${path}.${name}`))));
  },
});

/** An object with a kind for each field. Unknown fields and missing required fields are faults. */
export const fieldsOf = (fields: Readonly<Record<string, OptionKind>>): OptionKind => ({
  description: `an object with ${inWords(Object.keys(fields))}`,
  faultOf(value, path) {
    if (!isObject(value)) return { path, detail: `it must be ${this.description}.` };
    const names = new Set([...Object.keys(value), ...Object.keys(fields)]);
    return firstFault([...names].map((name) => faultOfField(fields, value, { name, path: `${path}.${name}` })));
  },
});

const faultOfField = (
  fields: Readonly<Record<string, OptionKind>>,
  value: Readonly<Record<string, unknown>>,
  { name, path }: { name: string; path: string },
): OptionFault | undefined => {
  const [field, of] = [Object.hasOwn(fields, name) ? fields[name] : undefined, value[name]];
  if (of === undefined && !field?.isNeeded) return undefined;
  return field ? field.faultOf(of, path) : { path, detail: `use ${inWords(Object.keys(fields))}.`, isUnknown: true };
};

/**
 * Rejects options of a guard that it would misread or ignore: a limit that is not a number would never be reached, and a misspelt name
 * would have no effect. Raises `guard/unknown-option` and `guard/invalid-option`.
 */
export const checkGuardOptions = (options: unknown, path: string, fields: OptionKind): void => {
  const fault = fields.faultOf(options, path);
  if (fault?.isUnknown) throw new InterlockError('guard/unknown-option', { path: fault.path });
  if (fault) throw new InterlockError('guard/invalid-option', fault);
};

const firstFault = (faults: readonly (OptionFault | undefined)[]): OptionFault | undefined =>
  faults.find((fault) => fault !== undefined);

/** `"a", "b" or "c"`. */
const inWords = (words: readonly string[]): string =>
  words
    .map((word) => `"${word}"`)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ');
