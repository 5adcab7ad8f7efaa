import { z } from 'zod';

/**
 * An object whose unknown fields are kept. They are kept out of the type, so that a misspelt field stays a compile error and
 * `keyof` gives the fields we know.
 */
export const openObject = <S extends z.ZodRawShape>(shape: S): z.ZodObject<S> => z.looseObject(shape);
