import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Mastra } from '@mastra/core/mastra';
import { Hono } from 'hono';
import type { TraceRecorder } from '../../src/replay.js';
import type { Examples } from './catalog/catalog.js';
import { createApp, mountAt, type AppOptions } from './http/app.js';
import { openStore, type StoreOptions } from './store/open-store.js';
import { createStudio } from './studio.js';

/** Options for the studio in an application's server. */
export interface StudioRoutesOptions extends AppOptions, StoreOptions {
  readonly mastra: Mastra;
  /** Example inputs, by agent. */
  readonly examples?: Examples;
  /**
   * Selects the stored text: `all` includes text that no guard released, and the studio shows it on request; `released` omits it.
   * Default `'all'`.
   */
  readonly content?: 'all' | 'released';
  /**
   * Whether the studio shows the runs of all `InterlockAgent`s in the process, also those that the application starts itself. Default:
   * `true`, unless `mastra.getEnvironment()` is `production`. With `false` it shows runs started from its pages, and those of agents
   * with {@link MountedStudio.record}.
   */
  readonly observe?: boolean;
}

/** The studio, mounted in an application's server. */
export interface MountedStudio {
  /** The routes, to mount in another Hono application. */
  readonly routes: Hono;
  /**
   * Answers a request by its whole URL, including the mount path: for servers based on `Request` and `Response`. These do not
   * contain the client's address, so a `token` or an `authorize` is required.
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * The same for Node's server, Connect and Express, before anything that reads bodies. A request outside of the mount goes to
   * `next`, or is answered with 404 without it.
   */
  readonly listener: (request: IncomingMessage, response: ServerResponse, next?: () => void) => void;
  /** Pass this to agents as `record`, so that the studio shows their runs without `observe`. */
  readonly record: TraceRecorder;
  /** Cancels the runs that its pages started, and writes pending entries. */
  close(): Promise<void>;
}

/**
 * Opens the studio, to be mounted in a server. Without a `token` or an `authorize` of your own it answers only requests from
 * this machine.
 *
 * @example
 * const studio = await openStudio({ mastra, path: '/studio', authorize: (request) => isAdmin(request) });
 * app.route('/studio', studio.routes);
 */
export const openStudio = async (options: StudioRoutesOptions): Promise<MountedStudio> => {
  const { mastra, examples, content, observe, path, token, authorize, loginUrl, allowedOrigins, ...keeping } = options;
  const studio = createStudio({ mastra, examples, content, observe, store: await openStore(keeping) });
  await studio.takeUp();
  const routes = createApp(studio, { path, token, authorize, loginUrl, allowedOrigins });
  const mounted = new Hono().route(path ?? '/', routes);
  return {
    routes,
    fetch: async (request) => mounted.fetch(request),
    listener: listenerOf(mounted, path),
    record: studio.desk.record,
    close: studio.close,
  };
};

/** A listener of Node's server. Express removes the mount path from the URL, and keeps the whole URL in another field. */
const listenerOf = (mounted: Hono, path = '/'): MountedStudio['listener'] => {
  const base = mountAt(path);
  const answer = getRequestListener(mounted.fetch, { overrideGlobalObjects: false });
  return (request, response, next) => {
    const { originalUrl } = request as { originalUrl?: string };
    const address = originalUrl ?? request.url ?? base;
    if (next && !`${address.split('?')[0]}/`.startsWith(base)) return next();
    request.url = address;
    void answer(request, response); // it handles its own failures
  };
};

/**
 * Only the routes of {@link openStudio}.
 *
 * @example
 * app.route('/studio', await studioRoutes({ mastra, path: '/studio', authorize: (request) => isAdmin(request) }));
 */
export const studioRoutes = async (options: StudioRoutesOptions): Promise<Hono> => (await openStudio(options)).routes;
