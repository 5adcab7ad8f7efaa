import { z } from 'zod';

/** The error sentence for an invalid value. */
const mustBe = (description: string): string => `it must be ${description}.`;

/** A schema based on a predicate. Values are checked, never copied. @param description The expected value, after "it must be". */
export const kind = <T>(description: string, fits: (value: unknown) => boolean): z.ZodType<T> =>
  z.custom<T>(fits, mustBe(description)).describe(description);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @typeParam T The signature, which cannot be checked at run time. */
export const functionOf = <T>(): z.ZodType<T> => kind<T>('a function', (value) => typeof value === 'function');

/** An instance, recognized by a method, because an application may load its class twice. */
export const instanceWith = <T>(method: string, description: string): z.ZodType<T> =>
  kind<T>(description, (value) => isObject(value) && typeof value[method] === 'function');

export const abortSignal = instanceWith<AbortSignal>('addEventListener', 'an AbortSignal');
export const aFunction = functionOf<(...args: never[]) => unknown>();
export const anObject = kind<object>('an object', isObject);
export const aText = z.string(mustBe('a string')).describe('a string');
export const aNumber = z.number(mustBe('a number')).describe('a number');
export const aBoolean = z.boolean(mustBe('true or false')).describe('true or false');

const nameDescription = 'a non-empty string';
export const aName = z.string(mustBe(nameDescription)).min(1, mustBe(nameDescription)).describe(nameDescription);

export const wholeNumberFrom = (least: number): z.ZodType<number> => {
  const description = `an integer of ${least} or more`;
  return z.int(mustBe(description)).min(least, mustBe(description)).describe(description);
};

export const oneOf = <const Values extends readonly string[]>(...values: Values): z.ZodType<Values[number]> =>
  z.enum(values, mustBe(inWords(values))).describe(inWords(values));

export const either = <One, Other>(one: z.ZodType<One>, other: z.ZodType<Other>): z.ZodType<One | Other> => {
  const description = `${one.description}, or ${other.description}`;
  return z.union([one, other], mustBe(description)).describe(description);
};

/** A value, or a function that returns it for each request. */
export const orFunction = (given: z.ZodType): z.ZodType => either(given, aFunction);

export const listOf = <Entry>(entry: z.ZodType<Entry>): z.ZodType<readonly Entry[]> => {
  const description = `an array (each item: ${entry.description})`;
  return z.array(entry, mustBe(description)).describe(description);
};

/** An object with the same schema for every field that is set; it may be an instance. */
export const recordOf = <Field>(field: z.ZodType<Field>): z.ZodType<Readonly<Record<string, Field>>> => {
  const description = `an object (each value: ${field.description})`;
  return z
    .custom<Readonly<Record<string, Field>>>(isObject, { error: mustBe(description), abort: true })
    .check(({ value, issues }) => {
      for (const [name, of] of Object.entries(value)) {
        const faults = of === undefined ? [] : (field.safeParse(of).error?.issues ?? []);
        for (const issue of faults) issues.push({ ...issue, path: [name, ...issue.path] } as z.core.$ZodRawIssue); // its input is the field
      }
    })
    .describe(description);
};

/** An object with optional fields. Unknown fields are rejected by name. */
export const fieldsOf = <Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) => {
  const names = inWords(Object.keys(shape));
  const description = `an object with ${names}`;
  const error = ({ code }: { code?: string }) => (code === 'unrecognized_keys' ? `use ${names}.` : mustBe(description));
  return z.strictObject(shape, { error }).partial().describe(description);
};

/** `"a", "b" or "c"`. */
const inWords = (words: readonly string[]): string =>
  words
    .map((word) => `"${word}"`)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ');

type Issue = z.core.$ZodIssue;

const isInside = (issue: Issue): boolean => issue.path.length > 0 || issue.code === 'unrecognized_keys';

/** The fault of a union: that of the schema that matched deepest into the value. */
const furthest = (issue: Issue): readonly Issue[] => {
  if (issue.code !== 'invalid_union') return [issue];
  const deeper = issue.errors.map((issues) => issues.flatMap(furthest)).find((issues) => issues.some(isInside));
  return deeper?.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })) ?? [issue];
};

/** All faults of a value, with their paths. */
export const faultsOf = (schema: z.ZodType, value: unknown, path: string): { path: string; detail: string }[] => {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).flatMap(furthest).flatMap((issue) => {
    const place = [path, ...issue.path.map(String)].join('.');
    const places = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => `${place}.${key}`) : [place];
    return places.map((one) => ({ path: one, detail: issue.message }));
  });
};
