import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { InterlockError } from '../../../src/index.js';
import type { Studio } from '../studio.js';
import { catalogRoutes } from './catalog-routes.js';
import { errorResponse } from './error-response.js';
import { runRoutes } from './run-routes.js';

/** No request needs more bytes. */
const mostBytes = 4 * 1024 * 1024;

/** The studio as an application of Hono. */
export const createApp = (studio: Studio): Hono => {
  const api = new Hono().route('/', catalogRoutes(studio)).route('/', runRoutes(studio));
  return new Hono()
    .use(bodyLimit({ maxSize: mostBytes }))
    .route('/api', api)
    .all('/api/*', (c) => {
      throw new InterlockError('studio/not-found', { path: c.req.path });
    })
    .onError(errorResponse);
};
