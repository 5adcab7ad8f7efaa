import { InterlockError, messageOf, type ErrorCode } from './errors.js';

/** A fault of an option, with its path. */
export interface OptionFault<
  Code extends ErrorCode = 'agent/unknown-option' | 'agent/invalid-option' | 'agent/unsupported-option',
> {
  readonly code: Code;
  readonly path: string;
  readonly detail?: string;
  readonly cause?: unknown;
}

/**
 * Raises one error for all faults, with the code and the path of the first. Does nothing if there is none.
 *
 * @param owner The owner of the options, e.g. `agent "support"`.
 */
export const throwFaults = (faults: readonly (OptionFault<ErrorCode> | undefined)[], owner?: string): void => {
  const [first, ...others] = faults.filter((fault) => fault !== undefined);
  if (!first) return;
  const clauses = [clauseOf(first), ...others.map((fault) => `${fault.path}: ${clauseOf(fault) ?? 'it cannot be used'}`)];
  const joined = clauses.filter((clause) => clause !== undefined).join('; ');
  const detail = joined && owner ? `${owner}: ${joined}` : joined;
  throw new InterlockError(first.code, { path: first.path, detail, cause: first.cause });
};

const clauseOf = ({ detail }: OptionFault<ErrorCode>): string | undefined => detail?.replace(/[.]$/, '');

/** A fault of a guard's option, with its code. */
export const asGuardFault = <Fault extends { readonly path: string; readonly isUnknown?: true }>(fault: Fault) => ({
  code: fault.isUnknown ? ('guard/unknown-option' as const) : ('guard/invalid-option' as const),
  ...fault,
});

/** A fault of an option of an agent, with its code. */
export const asAgentFault = ({ isUnknown, ...fault }: ValueFault): OptionFault => ({
  code: isUnknown ? 'agent/unknown-option' : 'agent/invalid-option',
  ...fault,
});

/** A sentence with the one of these names that is most similar to a misspelt one; undefined if none is close. */
export const didYouMean = (name: string, names: Iterable<string>): string | undefined => {
  const [best] = [...names]
    .map((one) => ({ one, apart: distance(name.toLowerCase(), one.toLowerCase()) }))
    .toSorted((a, b) => a.apart - b.apart);
  return best && best.apart <= Math.max(1, name.length / 4) ? `did you mean ${best.one}?` : undefined;
};

/** The number of letters to insert, remove or replace. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, letter] of Array.from(one).entries()) {
    const above = row;
    row = [index + 1];
    for (let column = 1; column <= other.length; column += 1)
      row.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (row[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + (letter === other[column - 1] ? 0 : 1),
        ),
      );
  }
  return row[other.length] ?? 0;
};

/** The kind of value that an option accepts. @typeParam Value The type of these values. */
export interface OptionKind<Value = unknown> {
  /** True if the option is required. Default: optional. */
  readonly isNeeded?: boolean;
  /** The text after "it must be" in an error message. */
  readonly description: string;
  /** All faults of a value, with their paths. Empty if the value is valid. Values are checked, never copied. */
  readonly faultsOf: (value: unknown, path: string) => readonly ValueFault[];
  /** These values as JSON Schema, for forms; undefined if it cannot describe them. */
  readonly schema?: OptionSchema | undefined;
  /** Never set: it carries the type. */
  readonly accepts?: Value;
}

interface OptionSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: OptionSchema;
  readonly properties?: Readonly<Record<string, OptionSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  /** Only code can set it. */
  readonly readOnly?: boolean;
}

export type ValueOf<Kind> = Kind extends OptionKind<infer Value> ? Value : never;

/** A fault of an invalid value. */
interface ValueFault {
  readonly path: string;
  readonly detail: string;
  /** Set if the option does not exist. */
  readonly isUnknown?: true;
}

const faultOf = (description: string, path: string): ValueFault => ({ path, detail: `it must be ${description}.` });

/** The fault of a value that throws when it is read, such as a revoked proxy. */
export const unreadable = (path: string, error: unknown): ValueFault => ({
  path,
  detail: `it cannot be read: ${messageOf(error)}`,
});

const kindOf = <Value>(description: string, faultsOf: OptionKind['faultsOf'], schema?: OptionSchema): OptionKind<Value> => ({
  description,
  schema,
  faultsOf: (value, path) => {
    try {
      return faultsOf(value, path);
    } catch (error) {
      return [unreadable(path, error)];
    }
  },
});

/** A kind that is recognized by its value. */
export const kind = <Value = unknown>(
  description: string,
  fits: (value: unknown) => boolean,
  schema?: OptionSchema,
): OptionKind<Value> => kindOf(description, (value, path) => (fits(value) ? [] : [faultOf(description, path)]), schema);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @typeParam Value The signature, which cannot be checked at run time. */
export const functionOf = <Value>(): OptionKind<Value> =>
  kind('a function', (value) => typeof value === 'function', { readOnly: true });

export const anObject = kind<object>('an object', isObject);
export const aFunction = functionOf<(...args: never[]) => unknown>();
export const aText = kind<string>('a string', (value) => typeof value === 'string', { type: 'string' });
export const aNumber = kind<number>('a number', Number.isFinite, { type: 'number' });
export const aBoolean = kind<boolean>('true or false', (value) => typeof value === 'boolean', { type: 'boolean' });

/** A text that is not empty. */
export const aName = kind<string>('a non-empty string', (value) => typeof value === 'string' && value !== '', { type: 'string' });

export const wholeNumberFrom = (least: number, most = Infinity): OptionKind<number> =>
  kind(
    most === Infinity ? `an integer of ${least} or more` : `an integer from ${least} to ${most}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
    { type: 'integer' },
  );

/** The longest delay of a timer, in milliseconds: a timer with a longer one fires at once. */
export const longestTimerMs = 2_147_483_647;

/** Milliseconds of a timer. */
export const timerMsFrom = (least: number): OptionKind<number> => wholeNumberFrom(least, longestTimerMs);

/** A number in a range, inclusive. `Infinity` leaves the range open. */
export const numberFrom = (least: number, most = Infinity): OptionKind<number> =>
  kind(
    most === Infinity ? `a number of ${least} or more` : `a number from ${least} to ${most}`,
    (value) => typeof value === 'number' && value >= least && value <= most, // NaN fails both
    { type: 'number' },
  );

export const oneOf = <const Values extends readonly string[]>(...values: Values): OptionKind<Values[number]> =>
  kind(inWords(values), (value) => (values as readonly unknown[]).includes(value), { enum: values });

/** An instance that is recognized by a method, because an application may load its class twice. */
export const instanceWith = <Value>(method: string, description: string): OptionKind<Value> =>
  kind(description, (value) => isObject(value) && typeof value[method] === 'function');

export const abortSignal = instanceWith<AbortSignal>('addEventListener', 'an AbortSignal');

/** One of two kinds. When both fail, the faults at the deeper path are reported. */
export const either = <One, Other>(one: OptionKind<One>, other: OptionKind<Other>): OptionKind<One | Other> => {
  const description = `${one.description}, or ${other.description}`;
  return {
    description,
    faultsOf: (value, path) => {
      const found = [one, other].map((each) => each.faultsOf(value, path));
      if (found.some((faults) => faults.length === 0)) return [];
      return found.find((faults) => faults.some((fault) => fault.path !== path)) ?? [faultOf(description, path)];
    },
  };
};

/** The maximum number of something. */
export const aCount = either(
  wholeNumberFrom(0),
  kind<number>('Infinity', (value) => value === Infinity),
);

/** A required option. */
export const needed = <Value>(given: OptionKind<Value>): OptionKind<Value> & { readonly isNeeded: true } => ({
  ...given,
  isNeeded: true,
});

export const listOf = <Entry>(entry: OptionKind<Entry>): OptionKind<readonly Entry[]> => {
  const description = `an array (each item: ${entry.description})`;
  return kindOf(
    description,
    (value, path) =>
      Array.isArray(value) ? value.flatMap((of, at) => entry.faultsOf(of, `${path}.${at}`)) : [faultOf(description, path)],
    { type: 'array', items: entry.schema ?? {} },
  );
};

/** An object in which every field that is set has the same kind; it may be an instance. */
export const recordOf = <Field>(field: OptionKind<Field>): OptionKind<Readonly<Record<string, Field>>> => {
  const description = `an object (each value: ${field.description})`;
  return kindOf(description, (value, path) => {
    if (!isObject(value)) return [faultOf(description, path)];
    return Object.entries(value).flatMap(([name, of]) => (of === undefined ? [] : field.faultsOf(of, `${path}.${name}`)));
  });
};

type Fields = Readonly<Record<string, OptionKind>>;

interface Needed {
  readonly isNeeded: true;
}

/** The values of fields with these kinds. The comment of a kind is that of its field. */
type ValuesOf<Kinds extends Fields> = {
  -readonly [Name in keyof Kinds as Kinds[Name] extends Needed ? Name : never]: ValueOf<Kinds[Name]>;
} & { -readonly [Name in keyof Kinds as Kinds[Name] extends Needed ? never : Name]?: ValueOf<Kinds[Name]> };

/** An object with a kind for each field. Unknown fields and missing required fields are faults. */
export const fieldsOf = <Kinds extends Fields>(fields: Kinds): OptionKind<ValuesOf<Kinds>> => {
  const description = `an object with ${inWords(Object.keys(fields))}`;
  return kindOf(
    description,
    (value, path) => {
      if (!isObject(value)) return [faultOf(description, path)];
      const names = new Set([...Object.keys(value), ...Object.keys(fields)]);
      return [...names].flatMap((name) => faultsOfField(fields, value, { name, path: `${path}.${name}` }));
    },
    schemaOf(fields),
  );
};

const schemaOf = (fields: Fields): OptionSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(fields).map(([name, { schema, description }]) => [
      name,
      schema?.enum || schema?.readOnly ? schema : { description, ...schema },
    ]),
  ),
  required: Object.keys(fields).filter((name) => fields[name]?.isNeeded),
});

const faultsOfField = (
  fields: Fields,
  value: Readonly<Record<string, unknown>>,
  { name, path }: { name: string; path: string },
): readonly ValueFault[] => {
  const [field, of] = [Object.hasOwn(fields, name) ? fields[name] : undefined, value[name]];
  if (of === undefined && !field?.isNeeded) return [];
  if (field) return field.faultsOf(of, path);
  const names = Object.keys(fields);
  return [{ path, detail: didYouMean(name, names) ?? `use ${inWords(names)}.`, isUnknown: true }];
};

/** `"a", "b" or "c"`. */
const inWords = (words: readonly string[]): string =>
  words
    .map((word) => `"${word}"`)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ');
