import type { Mastra } from '@mastra/core/mastra';
import type { Hono } from 'hono';
import type { TraceRecorder } from '../../src/index.js';
import type { Examples } from './catalog/catalog.js';
import { createApp, type AppOptions } from './http/app.js';
import { openStore, type StoreOptions } from './store/open-store.js';
import { createStudio } from './studio.js';

/** How the studio is mounted in a server. */
export interface StudioRoutesOptions extends AppOptions, StoreOptions {
  readonly mastra: Mastra;
  /** Things to type, by agent. */
  readonly examples?: Examples;
  /**
   * Whether words that no guard has let go are kept, and shown to whoever asks for them (`all`), or not (`released`). Default `'all'`.
   */
  readonly content?: 'all' | 'released';
}

/** The studio in a server of somebody else's. */
export interface MountedStudio {
  /** To be mounted in another application of Hono. */
  readonly routes: Hono;
  /** To be given to agents as `record`, so that the studio shows the runs that the application starts itself. */
  readonly record: TraceRecorder;
  /** Gives up the runs that were started from its pages, and writes down what is not written yet. */
  close(): Promise<void>;
}

/**
 * Opens the studio, to be mounted in a server. Without a `token` or an `authorize` of your own it answers requests of this machine alone.
 *
 * @example
 * const studio = await openStudio({ mastra, path: '/studio', authorize: (request) => isAdmin(request) });
 * app.route('/studio', studio.routes);
 */
export const openStudio = async (options: StudioRoutesOptions): Promise<MountedStudio> => {
  const { mastra, examples, content, path, token, authorize, allowedOrigins, ...keeping } = options;
  const studio = createStudio({ mastra, examples, content, store: await openStore(keeping) });
  await studio.takeUp();
  const routes = createApp(studio, { path, token, authorize, allowedOrigins });
  return { routes, record: studio.desk.record, close: studio.close };
};

/**
 * The routes of {@link openStudio} alone.
 *
 * @example
 * app.route('/studio', await studioRoutes({ mastra, path: '/studio', authorize: (request) => isAdmin(request) }));
 */
export const studioRoutes = async (options: StudioRoutesOptions): Promise<Hono> => (await openStudio(options)).routes;
