import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Http2Server, type Http2ServerRequest, type ServerHttp2Session } from 'node:http2';
import { createEndpointHandler, type EndpointOptions } from '@restatedev/restate-sdk';
import { rejectOption } from '../option-checks.js';
import { keepTrying, type Trying } from '../calls.js';
import type { RestateSettings } from './restate-options.js';

type Services = EndpointOptions['services'];
type Listen = NonNullable<RestateSettings['listen']>;

/** The endpoint where a process listens for Restate. */
export interface Endpoint {
  /** Adds services to the served ones, once `check` has succeeded. */
  add(services: Services, check: () => Promise<void>): void;
  /** Settles once all added services are served, and registered if requested. Raises `durable/unreachable`. */
  ready(): Promise<void>;
  /** Ends the input of an attempt, named by its {@link attemptHeader}. */
  endInput(attempt: string): void;
  /** Accepts no further runs, and settles once none is under way. */
  close(): Promise<void>;
}

const nowhere: Endpoint = {
  add: () => undefined,
  ready: async () => undefined,
  endInput: () => undefined,
  close: async () => undefined,
};

/** Starts to listen at the next pause in adding services, so that services added together are registered together. */
export const createEndpoint = (settings: RestateSettings, closing: AbortSignal): Endpoint => {
  const { listen, identityKeys } = settings;
  if (!listen) return nowhere;
  const services: Services = [];
  const server = createServer();
  const sessions = sessionsOf(server);
  let handle: ReturnType<typeof createEndpointHandler> | undefined;
  const attempts = createAttempts();
  server.on('request', (request, response) => {
    attempts.add(request);
    handle?.(request, response);
  });
  let opening: Trying<void> | undefined;
  const open = async (before: Promise<void> | undefined, check: () => Promise<void>): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    await before;
    await check();
    handle = createEndpointHandler({ services: [...services], identityKeys: identityKeys && [...identityKeys], logger: warn });
    if (!server.listening) await startListening(server, listen);
    await register(settings, closing);
  };
  return {
    add: (more, check) => {
      services.push(...more);
      const before = opening?.done;
      opening = keepTrying(() => open(before, check), 'adminUrl', closing);
    },
    ready: async () => opening?.within(settings.patienceMs),
    endInput: attempts.endInput,
    close: async () => {
      await opening?.done.catch(() => undefined);
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of sessions) session.close();
      await closed;
    },
  };
};

/** The header with the name of an attempt in this process, set here. */
export const attemptHeader = 'x-interlock-attempt';

/** The attempts at runs in this process. Without an end of its input, an attempt that waits is suspended only after a timeout. */
const createAttempts = () => {
  const ends = new Map<string, () => void>();
  return {
    add: (request: Http2ServerRequest): void => {
      const name = randomUUID();
      request.headers[attemptHeader] = name;
      const chunks = request[Symbol.asyncIterator]();
      const { promise: end, resolve } = Promise.withResolvers<IteratorResult<unknown>>();
      const next = () => Promise.race([end, chunks.next()]);
      request[Symbol.asyncIterator] = () => ({ ...chunks, next, [Symbol.asyncIterator]: () => chunks });
      ends.set(name, () => resolve({ done: true, value: undefined }));
      request.once('close', () => ends.delete(name));
    },
    endInput: (name: string): void => ends.get(name)?.(),
  };
};

const sessionsOf = (server: Http2Server): ReadonlySet<ServerHttp2Session> => {
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  return sessions;
};

const hostOf = ({ host = '127.0.0.1' }: Listen): string => host;

const startListening = async (server: Http2Server, listen: Listen): Promise<void> => {
  try {
    server.listen({ port: listen.port, host: hostOf(listen) });
    await once(server, 'listening');
  } catch (error) {
    rejectOption('listen', String(error));
  }
};

/** Registers this process with Restate. */
const register = async ({ adminUrl, serviceUrl, listen, headers }: RestateSettings, signal: AbortSignal): Promise<void> => {
  if (!adminUrl || !listen) return;
  const uri = serviceUrl ?? `http://${hostOf(listen)}:${listen.port}`;
  const response = await fetch(`${adminUrl.replace(/\/$/, '')}/deployments`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ uri, force: true }),
    signal,
  });
  if (!response.ok) throw new Error(`Restate did not register ${uri}: ${response.status} ${await response.text()}`);
};

type Logger = NonNullable<EndpointOptions['logger']>;

/** Reports failed runs of Restate's SDK as warnings of the process, and drops its other messages. */
const warn: Logger = ({ level, replaying, context }, ...message) => {
  const isWorthIt = level.toString() === 'error' || level.toString() === 'warn';
  if (!isWorthIt || replaying || !context) return;
  process.emitWarning(`${context.invocationTarget}: ${message.map(String).join(' ')}`, 'RestateWarning');
};
