import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { createCutter, type Cut } from './cuts.js';
import type { ChatRequest } from './openai-reply.js';
import type { Script } from './openai-script.js';

/** The server's record of one chat completion request, updated while the request runs. */
export interface RecordedRequest {
  readonly body: ChatRequest;
  readonly headers: IncomingHttpHeaders;
  /** Deltas of text, reasoning or tool arguments that were completely written to the socket so far. */
  readonly written: number;
  /** `aborted`: the client left first; `dropped`: the server cut the connection. */
  readonly state: 'open' | 'finished' | 'aborted' | 'dropped';
  /** Milliseconds from the request to the client's disconnect; undefined if it stayed connected. */
  readonly abortedAfterMs: number | undefined;
  /** Settles when the exchange is over: true if the client left before the answer was complete. */
  readonly aborted: Promise<boolean>;
}

/** One request being answered. */
export interface Exchange {
  readonly record: RecordedRequest;
  /** Plays a script to the client, no faster than the client reads. */
  play(script: Script): Promise<void>;
  /** The server drops the connection; the client is not the cause of what follows. */
  drop(): void;
}

interface Pace {
  readonly cut: Cut;
  readonly delayMs: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Counts deltas when their last byte is written: a cutter may buffer bytes of several. */
const createMeter = (count: () => void) => {
  const ends: number[] = [];
  let produced = 0;
  let sent = 0;
  return {
    produce: (bytes: number, deltas: 0 | 1) => {
      produced += bytes;
      if (deltas) ends.push(produced);
    },
    send: (bytes: number) => {
      sent += bytes;
      for (; (ends[0] ?? Infinity) <= sent; ends.shift()) count();
    },
  };
};

/** One write, then one turn of the event loop: the bytes leave as a separate chunk, and the client can read. */
const write = async (res: ServerResponse, bytes: Uint8Array, closed: AbortSignal): Promise<void> => {
  closed.throwIfAborted();
  if (!res.write(bytes)) await once(res, 'drain', { signal: closed });
  await turn();
};

const finish = (res: ServerResponse, end: Script['end'], drop: () => void): void => {
  switch (end) {
    case 'finish':
      res.end();
      return;
    case 'destroy':
      drop();
      res.socket?.destroySoon();
      return;
    case 'hang':
      return;
    default:
      end satisfies never;
  }
};

/** Starts the record of a request; the exchange can play its answer. */
export const openExchange = (io: { req: IncomingMessage; res: ServerResponse }, body: ChatRequest, pace: Pace): Exchange => {
  const { req, res } = io;
  const startedAt = performance.now();
  const closed = new AbortController();
  const close = () => {
    if (record.state === 'open') record.state = res.writableFinished ? 'finished' : 'aborted';
    if (record.state === 'aborted') record.abortedAfterMs = performance.now() - startedAt;
    closed.abort();
    return record.state === 'aborted';
  };
  const aborted = new Promise<boolean>((resolve) => res.once('close', () => resolve(close())));
  const record: Mutable<RecordedRequest> = {
    body,
    headers: req.headers,
    written: 0,
    state: 'open',
    abortedAfterMs: undefined,
    aborted,
  };
  const drop = () => void (record.state = 'dropped');

  const playFrames = async (frames: Script['frames']): Promise<void> => {
    const cutter = createCutter(pace.cut);
    const meter = createMeter(() => (record.written += 1));
    const send = async (slices: Uint8Array[]) => {
      for (const slice of slices) {
        await write(res, slice, closed.signal);
        meter.send(slice.length);
      }
    };
    for (const { bytes, deltas } of frames) {
      meter.produce(bytes.length, deltas);
      await send(cutter.push(bytes));
      if (deltas && pace.delayMs > 0) await sleep(pace.delayMs, undefined, { signal: closed.signal });
    }
    await send(cutter.flush());
  };

  const play = async (script: Script): Promise<void> => {
    if (script.head) res.writeHead(script.head.status, script.head.headers).flushHeaders();
    try {
      await playFrames(script.frames);
      finish(res, script.end, drop);
    } catch (error) {
      // The client has disconnected: no receiver for the error is left, and the record has it.
      if (!closed.signal.aborted) throw error;
    }
  };

  return { record, play, drop };
};
