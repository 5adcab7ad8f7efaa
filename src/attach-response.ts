/** What can be followed by the id of a run: an `InterlockAgent` that has an engine. */
export interface Attachable {
  attach(runId: string, options: { readonly from: number }): Promise<{ readonly fullStream: ReadableStream<object> }>;
}

/**
 * Serves the stream of a durable run as server-sent events: one event for each chunk, its `metadata.sequence` as `id`, and an
 * event `end` when the run has ended or waits. Without the header `Last-Event-ID` the stream starts with the first chunk of the
 * run; with it, which a browser's `EventSource` sends by itself after a dropped connection, with the chunk that follows. The run
 * does not wait for its readers, and continues when one leaves.
 *
 * Check first that the caller may read the run: its id is all that is asked for. Rejects with `durable/no-engine` and
 * `durable/no-run`, which `errorResponse` turns into a response.
 *
 * @example
 * app.get('/runs/:id', (c) => attachResponse(agent, c.req.param('id'), c.req.raw));
 */
export const attachResponse = async (agent: Attachable, runId: string, request: Pick<Request, 'headers'>): Promise<Response> => {
  const { fullStream } = await agent.attach(runId, { from: placeAfter(request.headers.get('last-event-id')) });
  const events = fullStream.pipeThrough(
    new TransformStream<object, string>({
      start: (controller) => controller.enqueue(`retry: ${retryMs}\n\n`), // the headers leave at once
      transform: (chunk, controller) => controller.enqueue(eventOf(chunk)),
      flush: (controller) => controller.enqueue('event: end\ndata: {}\n\n'),
    }),
  );
  return new Response(events.pipeThrough(new TextEncoderStream()), {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' },
  });
};

/** How long a browser waits before it connects again. */
const retryMs = 500;

/** Anything but a sequence number is taken for a client that has nothing yet. */
const placeAfter = (lastEventId: string | null): number => {
  const last = Number(lastEventId || Number.NaN);
  return Number.isSafeInteger(last) && last >= 0 ? last + 1 : 0;
};

const eventOf = (chunk: object): string => {
  const { metadata } = chunk as { metadata?: { sequence?: number } };
  const id = metadata?.sequence === undefined ? '' : `id: ${metadata.sequence}\n`;
  return `${id}data: ${JSON.stringify(chunk)}\n\n`;
};
