import { messageOf } from '../errors.js';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import { once } from 'node:events';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

import { createCutter, type Cut } from './cuts.js';
import { type ChatRequest, chatRequestSchema, type Reply } from './openai-reply.js';
import { errorScript, jsonScript, type Script, toScript } from './openai-script.js';

/** The server's record of one chat completion request, updated while the request runs. */
export interface RecordedRequest {
  readonly body: ChatRequest;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
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
type Exchange = ReturnType<typeof openExchange>;

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

/** Starts the record of a request; the exchange can play its answer. */
const openExchange = (
  { req, res }: { req: IncomingMessage; res: ServerResponse },
  body: ChatRequest,
  { cut = 'whole', delayMs = 0 }: OpenAIServerOptions,
) => {
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
  /** The server drops the connection; the client is not the cause of what follows. */
  const drop = () => void (record.state = 'dropped');

  const playFrames = async (frames: Script['frames']): Promise<void> => {
    const cutter = createCutter(cut);
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
      if (deltas && delayMs > 0) await sleep(delayMs, undefined, { signal: closed.signal });
    }
    await send(cutter.flush());
  };

  /** Plays a script to the client, no faster than the client reads. */
  const play = async (script: Script): Promise<void> => {
    if (script.head) res.writeHead(script.head.status, script.head.headers).flushHeaders();
    try {
      await playFrames(script.frames);
      if (script.end === 'finish') res.end();
      if (script.end === 'destroy') {
        drop();
        res.socket?.destroySoon();
      }
    } catch (error) {
      // The client has disconnected: no receiver for the error is left, and the record has it.
      if (!closed.signal.aborted) throw error;
    }
  };

  return { record, play, drop };
};

/** The replies: in order, or a function of the request and its number from 0. */
export type ReplySource = readonly Reply[] | ((request: ChatRequest, index: number) => Reply | Promise<Reply>);

export interface OpenAIServerOptions {
  readonly reply: ReplySource;
  /** The chunking of streamed bytes on the socket. Default `'whole'`. */
  readonly cut?: Cut;
  /** Milliseconds after each delta of a stream. Default 0. */
  readonly delayMs?: number;
  /** The line end of event streams. Default `'\n'`. */
  readonly lineEnd?: '\n' | '\r\n';
  /** The ids that `GET /v1/models` lists. Default `['local-model']`. */
  readonly models?: readonly string[];
  /** Default 0: a free port. */
  readonly port?: number;
}

export interface OpenAIServer {
  /** The base URL for clients: `http://127.0.0.1:<port>/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  /** The chat completion requests so far, in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Ends open connections and stops listening. */
  readonly close: () => Promise<void>;
}

interface Service {
  readonly options: OpenAIServerOptions;
  readonly open: Set<Exchange>;
  readonly requests: RecordedRequest[];
}

const nextReply = (source: ReplySource, request: ChatRequest, index: number): Reply | Promise<Reply> => {
  if (typeof source === 'function') return source(request, index);
  const reply = source[index];
  if (!reply) throw new RangeError(`The script has ${source.length} replies, and this is request ${index + 1}.`);
  return reply;
};

const writeScript = async ({ options }: Service, request: ChatRequest, index: number): Promise<Script> => {
  try {
    const reply = await nextReply(options.reply, request, index);
    return toScript(reply, { request, index, lineEnd: options.lineEnd ?? '\n' });
  } catch (error) {
    return errorScript(500, messageOf(error));
  }
};

const respond = (res: ServerResponse, { head, frames }: Script): void => {
  res.writeHead(head?.status ?? 500, head?.headers);
  for (const { bytes } of frames) res.write(bytes);
  res.end();
};

const answerChat = async (service: Service, req: IncomingMessage, res: ServerResponse): Promise<void> => {
  const parsed = chatRequestSchema.safeParse(await readJson(req).catch(() => undefined));
  if (!parsed.success) return respond(res, errorScript(400, `Not a chat completion request: ${parsed.error.message}`));

  const index = service.requests.length;
  const exchange = openExchange({ req, res }, parsed.data, service.options);
  service.requests.push(exchange.record);
  service.open.add(exchange);
  res.once('close', () => service.open.delete(exchange));
  await exchange.play(await writeScript(service, parsed.data, index));
};

const listModels = ({ models = ['local-model'] }: OpenAIServerOptions) => ({
  object: 'list',
  data: models.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'mastra-interlock' })),
});

const route = async (service: Service, req: IncomingMessage, res: ServerResponse): Promise<void> => {
  const path = new URL(req.url ?? '/', 'http://127.0.0.1').pathname;
  const target = `${req.method} ${path}`;
  if (target === 'POST /v1/chat/completions') return answerChat(service, req, res);
  if (target === 'GET /v1/models') return respond(res, jsonScript(200, listModels(service.options)));
  respond(res, errorScript(404, `There is no ${target} here.`));
};

/**
 * Starts a server on the loopback interface that answers OpenAI chat completion requests from a script.
 * Requests without a scripted reply, and replies that throw, get a 500 with the reason.
 *
 * @example
 * const server = await startOpenAIServer({ reply: [{ kind: 'text', text: 'Hello 👋', chunks: 2 }], cut: 'byte' });
 * const model = createOpenAICompatible({ name: 'local', baseURL: server.baseUrl })('local-model');
 */
export const startOpenAIServer = async (options: OpenAIServerOptions): Promise<OpenAIServer> => {
  createCutter(options.cut); // Rejects an invalid cut now, not at the first request.
  const service: Service = { options, open: new Set(), requests: [] };
  const server = createServer((req, res) => {
    // An internal error breaks only this response and is reported; it never ends the host's process.
    route(service, req, res).catch((error: unknown) => {
      process.emitWarning(error instanceof Error ? error : String(error));
      res.destroy();
    });
  });
  await once(server.listen(options.port ?? 0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;

  const close = () =>
    new Promise<void>((resolve) => {
      for (const exchange of service.open) exchange.drop();
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { baseUrl: `http://127.0.0.1:${port}/v1`, port, requests: service.requests, close };
};
