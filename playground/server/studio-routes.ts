import type { Mastra } from '@mastra/core/mastra';
import type { Hono } from 'hono';
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

/**
 * The studio as an application of Hono, to be mounted in another one. Without a `token` or an `authorize` of your own it answers requests
 * of this machine alone.
 *
 * @example
 * app.route('/studio', await studioRoutes({ mastra, path: '/studio', authorize: (request) => isAdmin(request) }));
 */
export const studioRoutes = async (options: StudioRoutesOptions): Promise<Hono> => {
  const { mastra, examples, content, path, token, authorize, allowedOrigins, ...keeping } = options;
  const studio = createStudio({ mastra, examples, content, store: await openStore(keeping) });
  return createApp(studio, { path, token, authorize, allowedOrigins });
};
