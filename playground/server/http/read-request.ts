import type { Context } from 'hono';
import type { z } from 'zod';
import { InterlockError } from '../../../src/index.js';

/** The JSON body of a request. Raises `studio/invalid-request` with the path of the first field that does not fit. */
export const readBody = async <S extends z.ZodType>(context: Context, schema: S): Promise<z.output<S>> => {
  const body: unknown = await context.req.json().catch((cause: unknown) => {
    throw new InterlockError('studio/invalid-request', { detail: 'The body is not valid JSON', cause });
  });
  return readInput(body, schema);
};

/** The query of a request, read like {@link readBody}. */
export const readQuery = <S extends z.ZodType>(context: Context, schema: S): z.output<S> =>
  readInput(context.req.query(), schema);

export const readInput = <S extends z.ZodType>(input: unknown, schema: S): z.output<S> => {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.');
  throw new InterlockError('studio/invalid-request', { path: path === '' ? undefined : path, detail: issue?.message });
};
