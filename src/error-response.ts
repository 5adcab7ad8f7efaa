import { errorTable, isInterlockError } from './errors.js';

/**
 * The HTTP response to a failed request: the `status` of an error, with its code and message; 500 for errors of other origin.
 * Internal details stay on the server: a response of 500 and above contains only the code and the table's sentence.
 *
 * Mastra's server does this for its own routes. Routes of an application, such as `chatRoute`, need this function as `onError`.
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

/** Errors of Hono carry their own response. */
const hasResponse = (error: unknown): error is { getResponse(): Response } =>
  error instanceof Error && 'getResponse' in error && typeof error.getResponse === 'function';
