import { errorTable, isInterlockError } from './errors.js';

/**
 * The answer of a server to a request that failed: the `status` of an error, with its code and what it says; 500 for what is none of
 * ours. What went wrong inside is not told: an answer of 500 and above has the code and the table's sentence alone.
 *
 * Mastra's server answers its own routes so by itself; an application's routes, such as `chatRoute`, need it as `onError`.
 *
 * @example
 * new Mastra({ agents: { support }, server: { apiRoutes: [chatRoute({ path: '/chat/:agentId' })], onError: errorResponse } });
 */
export const errorResponse = (error: unknown): Response => {
  if (!isInterlockError(error))
    return hasResponse(error) ? error.getResponse() : answer(500, { message: 'Internal Server Error' });
  const { code, message, path, status } = error;
  if (status >= 500) return answer(status, { code, message: errorTable[code].say });
  return answer(status, { code, message, ...(path !== undefined && { path }) });
};

const answer = (status: number, error: object): Response => Response.json({ error }, { status });

/** Hono's own errors say what they are answered with. */
const hasResponse = (error: unknown): error is { getResponse(): Response } =>
  error instanceof Error && 'getResponse' in error && typeof error.getResponse === 'function';
