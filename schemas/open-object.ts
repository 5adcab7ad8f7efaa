import { z } from 'zod';

/**
 * An object whose unknown fields are kept. They are kept out of the type, so that a misspelt field stays a compile error and
 * `keyof` gives the fields we know.
 */
export const openObject = <S extends z.ZodRawShape>(shape: S): z.ZodObject<S> => z.looseObject(shape);

interface ByReferenceOptions {
  /** The schema to check one value with, where it depends on the value; default: `structure`. */
  structureOf?: (value: unknown) => z.ZodType;
  /** Makes the value to hand on from the parsed one; default: the given value. */
  rebuild?: (value: unknown, parsed: unknown) => unknown;
}

/**
 * Checks a value against `structure` and hands on the value itself, where zod would hand on a copy. A hook that edits a
 * message in place edits the message of the MessageList, also behind a check; and growing lists are not copied.
 *
 * `Out` is the declared type of what was checked. The JSON Schema is that of `structure`.
 */
export const byReference = <Out, In = Out>(
  structure: z.ZodType,
  { structureOf = () => structure, rebuild = (value) => value }: ByReferenceOptions = {},
): z.ZodType<Out, In> => {
  const check = z.transform((value, context) => {
    const parsed = structureOf(value).safeParse(value);
    if (parsed.success) return rebuild(value, parsed.data);
    // Finished issues are taken over as they are: their messages are set, and the parent puts its path before theirs.
    context.issues.push(...(parsed.error.issues as z.core.$ZodRawIssue[]));
    return z.NEVER;
  });
  // A value that passed `structure` has the declared type; zod sees only that it is unknown.
  return z.pipe(describedBy(z.unknown(), structure), describedBy(check, structure)) as unknown as z.ZodType<Out, In>;
};

/** Gives a schema the JSON Schema of another one, which is made on request: with all of them, this package took a tenth longer to load. */
const describedBy = <S extends z.ZodType>(schema: S, structure: z.ZodType): S => {
  const { _zod: internals } = schema;
  internals.toJSONSchema = () => {
    const { $schema: _, ...fields } = z.toJSONSchema(structure, { io: 'input', unrepresentable: 'any' });
    return fields;
  };
  return schema;
};
