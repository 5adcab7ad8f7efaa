import { errorTable, InterlockError, isInterlockError } from './errors.js';

/** An agent whose durable runs can be followed by id: an `InterlockAgent` that has an engine. */
interface Attachable {
  attach(runId: string, options: { readonly from: number }): Promise<{ readonly fullStream: ReadableStream<object> }>;
}

/**
 * Serves the stream of a durable run as server-sent events. Each chunk is one event, with its `metadata.sequence` as `id`. An
 * event `end` follows when the run has ended or is suspended. Without the header `Last-Event-ID` the stream starts at the first
 * chunk of the run; with it, at the chunk that follows. A browser's `EventSource` sends this header after a dropped connection.
 * The run does not wait for its readers, and continues when one disconnects.
 *
 * Check first that the caller may read the run: its id is the only requirement. Rejects with `durable/no-engine`, `durable/no-run`
 * and, for another `Last-Event-ID`, `agent/invalid-option`, which `errorResponse` turns into a response.
 *
 * @example
 * app.get('/runs/:id', (c) => attachResponse(agent, c.req.param('id'), c.req.raw));
 */
export const attachResponse = async (agent: Attachable, runId: string, request: Pick<Request, 'headers'>): Promise<Response> => {
  const { fullStream } = await agent.attach(runId, { from: placeAfter(request.headers.get('last-event-id')) });
  const events = fullStream.pipeThrough(
    new TransformStream<object, string>({
      start: (controller) => controller.enqueue(`retry: ${retryMs}\n\n`), // sends the headers at once
      transform: (chunk, controller) => controller.enqueue(eventOf(chunk)),
      flush: (controller) => controller.enqueue('event: end\ndata: {}\n\n'),
    }),
  );
  return new Response(events.pipeThrough(new TextEncoderStream()), {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' },
  });
};

/** Delay before a browser reconnects. */
const retryMs = 500;

/** The sequence number to start from: 0 without an id. Raises `agent/invalid-option` for an id that no chunk has. */
const placeAfter = (lastEventId: string | null): number => {
  if (!lastEventId) return 0;
  const last = Number(lastEventId);
  if (!Number.isSafeInteger(last) || last < 0)
    throw new InterlockError('agent/invalid-option', { path: 'Last-Event-ID', detail: 'it is not the id of a chunk.' });
  return last + 1;
};

const eventOf = (chunk: object): string => {
  const { metadata } = chunk as { metadata?: { sequence?: number } };
  const id = metadata?.sequence === undefined ? '' : `id: ${metadata.sequence}\n`;
  return `${id}data: ${JSON.stringify(chunk)}\n\n`;
};

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
