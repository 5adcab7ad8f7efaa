import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import { createCutter, type Cut } from './cuts.js';
import { openExchange, type Exchange, type RecordedRequest } from './openai-exchange.js';
import { type Reply, chatRequestSchema, type ChatRequest } from './openai-reply.js';
import { errorScript, jsonScript, toScript, type Script } from './openai-script.js';

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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

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

  const { cut = 'whole', delayMs = 0 } = service.options;
  const index = service.requests.length;
  const exchange = openExchange({ req, res }, parsed.data, { cut, delayMs });
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
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  const close = () =>
    new Promise<void>((resolve) => {
      for (const exchange of service.open) exchange.drop();
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { baseUrl: `http://127.0.0.1:${port}/v1`, port, requests: service.requests, close };
};
