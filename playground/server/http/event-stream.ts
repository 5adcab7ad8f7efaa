import type { Context } from 'hono';
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';

/** How often a silent stream says that it is there, so that nobody in between closes it. */
const heartbeatMs = 15_000;

/** Opens an event stream with a heartbeat. */
export const eventStream = (
  context: Context,
  write: (stream: SSEStreamingApi, gone: Promise<void>) => Promise<void>,
): Response => {
  context.header('X-Accel-Buffering', 'no'); // a proxy is not to collect it
  return streamSSE(context, async (stream) => {
    const gone = Promise.withResolvers<void>();
    stream.onAbort(() => gone.resolve());
    const heartbeat = setInterval(() => void stream.write(': still here\n\n'), heartbeatMs);
    try {
      await write(stream, gone.promise);
    } finally {
      clearInterval(heartbeat);
    }
  });
};
