import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Mastra } from '@mastra/core/mastra';
import { InterlockError } from '../../src/index.js';
import type { Examples } from './catalog/catalog.js';
import { createApp } from './http/app.js';
import { isLocalHost } from './http/local-request.js';
import { persistedToken } from './persisted-token.js';
import { openStore, type StoreOptions } from './store/open-store.js';
import type { StudioRoutesOptions } from './studio-routes.js';
import { createStudio } from './studio.js';

/** Options of the standalone studio. */
export interface StudioServerOptions extends StoreOptions {
  readonly mastra: Mastra;
  /** Example inputs, by agent. */
  readonly examples?: Examples;
  /** See {@link StudioRoutesOptions}. Default `'all'`. */
  readonly content?: StudioRoutesOptions['content'];
  /** See {@link StudioRoutesOptions}. */
  readonly observe?: StudioRoutesOptions['observe'];
  /** Default `'127.0.0.1'`: reachable only from this machine. */
  readonly host?: string;
  /** Default 4477, or a free port if that is taken; 0 means a free port. */
  readonly port?: number;
  /**
   * The required token of requests. Default: a random one, stored next to the file of the runs, and part of the printed address. `false`:
   * none; then the host must be this machine.
   */
  readonly token?: string | false;
}

export interface StudioServer {
  /** The address to open, including the token if there is one. */
  readonly url: string;
  /** Cancels the runs under way, writes pending entries and stops listening. */
  close(): Promise<void>;
}

const defaultPort = 4477;

/**
 * Serves the studio. Raises `studio/port-taken`, and the errors of opening the store.
 *
 * @example
 * const { url } = await startStudio({ mastra });
 */
export const startStudio = async (options: StudioServerOptions): Promise<StudioServer> => {
  const { mastra, examples, content, observe, host = '127.0.0.1' } = options;
  rejectOpenHost(options.token, host);
  const store = await openStore(options);
  const token = options.token === false ? undefined : (options.token ?? persistedToken(options.file));
  const studio = createStudio({ mastra, examples, store, content, observe });
  await studio.takeUp();
  const answer = getRequestListener(createApp(studio, { token }).fetch);
  const server = createServer((request, response) => void answer(request, response)); // it handles its own failures
  try {
    await listen(server, host, options.port);
  } catch (error) {
    await studio.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo; // it listens on a port
  const name = host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? 'localhost' : host;
  return {
    url: `http://${name}:${port}/${token === undefined ? '' : `?token=${encodeURIComponent(token)}`}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await studio.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

const rejectOpenHost = (token: string | false | undefined, host: string): void => {
  if (token !== false || isLocalHost(host)) return;
  throw new InterlockError('studio/invalid-option', {
    path: 'token',
    detail: `other machines can reach ${host}, so a token is required`,
  });
};

type Server = ReturnType<typeof createServer>;

/** If the port was not given, a free one is used when the default is taken. */
const listen = async (server: Server, host: string, port?: number): Promise<void> => {
  try {
    await listenOn(server, host, port ?? defaultPort);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    if (port !== undefined) throw new InterlockError('studio/port-taken', { path: `${host}:${port}`, cause: error });
    await listenOn(server, host, 0);
  }
};

const listenOn = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
