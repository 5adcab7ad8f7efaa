import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';

/** A server whose connections can be cut in the middle of a response. */
export interface CutServer extends AsyncDisposable {
  readonly url: string;
  /** Destroys every socket. */
  cut(): void;
}

/** Serves a handler of web requests over real sockets. */
export const serveCut = async (handle: (request: Request) => Promise<Response>): Promise<CutServer> => {
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => void respond(handle, incoming, outgoing));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    cut,
    [Symbol.asyncDispose]: async () => {
      cut();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
};

const respond = async (
  handle: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> => {
  const hasBody = incoming.method !== 'GET';
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers: Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
    ...(hasBody && { body: await new Response(Readable.toWeb(incoming) as ReadableStream).text() }), // Node's type of the same stream
  });
  const { status, headers, body } = await handle(request);
  outgoing.writeHead(status, Object.fromEntries(headers)).flushHeaders();
  if (body)
    Readable.fromWeb(body as never)
      .on('error', () => outgoing.destroy())
      .pipe(outgoing); // Node's type of the same stream
  else outgoing.end();
};
