import type { Context } from 'hono';
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
import type { RunLog } from '../runs/run-log.js';

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

/** The number of the next line that a client wants, by the id of the last one that it has. */
export const nextSeq = (context: Context): number => {
  const last = Number(context.req.header('Last-Event-ID') ?? context.req.query('after'));
  return Number.isInteger(last) && last >= 0 ? last + 1 : 0;
};

/** So many lines go out in one piece. */
const mostAtOnce = 500;

/** Lines as events, each under its number; JSON has no line ends. */
const asEvents = (lines: readonly string[], from: number): string =>
  lines.map((line, index) => `id: ${from + index}\ndata: ${line}\n\n`).join('');

const sendEnd = (stream: SSEStreamingApi): Promise<void> => stream.writeSSE({ event: 'end', data: '' });

/** Sends the lines of a run from a number on, until the run is over. */
export const sendLines = async (
  stream: SSEStreamingApi,
  log: RunLog,
  { from, gone }: { from: number; gone: Promise<void> },
): Promise<void> => {
  let seq = from;
  while (!stream.aborted && !stream.closed) {
    const next = log.changed();
    const isOver = log.isOver;
    const lines = log.linesFrom('entry', seq).slice(0, mostAtOnce);
    if (lines.length > 0) await stream.write(asEvents(lines, seq));
    else if (isOver) return sendEnd(stream);
    else await Promise.race([next, gone]);
    seq += lines.length;
  }
};

/** Sends the lines of a run that is kept, from a number on. */
export const sendKept = async (
  stream: SSEStreamingApi,
  read: (from: number, limit: number) => Promise<readonly string[]>,
  from: number,
): Promise<void> => {
  let seq = from;
  for (let lines = await read(seq, mostAtOnce); lines.length > 0 && !stream.aborted; lines = await read(seq, mostAtOnce)) {
    await stream.write(asEvents(lines, seq));
    seq += lines.length;
  }
  await sendEnd(stream);
};
