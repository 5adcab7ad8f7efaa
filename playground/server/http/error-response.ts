import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { isInterlockError, type ErrorCode } from '../../../src/index.js';

/** Which answer a code is, where it is none of those that its `actor` says. */
const statuses: Partial<Record<ErrorCode, ContentfulStatusCode>> = {
  'studio/not-found': 404,
  'studio/no-assets': 404,
  'studio/not-suspended': 409,
  'agent/no-suspended-run': 409,
  'studio/content-withheld': 403,
  'studio/unauthorized': 401,
  'studio/forbidden': 403,
};

/** An error as pages read it: `{ error: { code, message, path } }`. */
export const errorResponse = (error: unknown, context: Context): Response => {
  if (isInterlockError(error)) {
    const { code, message, path, actor } = error;
    const status = statuses[code] ?? (actor === 'operator' || actor === 'provider' ? 500 : 400);
    return context.json({ error: { code, message, ...(path !== undefined && { path }) } }, status);
  }
  if (error instanceof HTTPException)
    return context.json({ error: { code: 'studio/invalid-request', message: error.message } }, error.status);
  const message = error instanceof Error ? error.message : String(error);
  return context.json({ error: { code: 'run/failed', message } }, 500);
};
