import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { InterlockError } from '../../../src/index.js';
import type { Studio } from '../studio.js';
import { guardAccess, type Access } from './access.js';
import { catalogRoutes } from './catalog-routes.js';
import { errorResponse } from './error-response.js';
import { pageRoutes } from './pages.js';
import { runRoutes } from './run-routes.js';
import { workbenchRoutes } from './workbench-routes.js';
import { wordsRoutes } from './words-routes.js';

export interface AppOptions extends Access {
  /** Where the application is mounted. Default `'/'`. */
  readonly path?: string;
}

/** No request needs more bytes. */
const mostBytes = 4 * 1024 * 1024;

const refuseSize = (): never => {
  throw new HTTPException(413, { message: 'The request is larger than 4 MB.' });
};

/** Scripts and requests of our own alone; styles are also set by scripts, element by element. */
const headers = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:', 'blob:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'self'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: 'DENY',
  referrerPolicy: 'no-referrer',
  strictTransportSecurity: false, // it is served over HTTP, as a rule
});

/** The path of a mount, with a slash at both ends. */
export const mountAt = (path: string): string => `/${path.split('/').filter(Boolean).join('/')}/`.replace('//', '/');

/** The studio as an application of Hono. */
export const createApp = (studio: Studio, { path = '/', ...access }: AppOptions = {}): Hono => {
  const api = new Hono()
    .use(bodyLimit({ maxSize: mostBytes, onError: refuseSize }))
    .route('/', catalogRoutes(studio))
    .route('/', runRoutes(studio))
    .route('/', wordsRoutes(studio))
    .route('/', workbenchRoutes(studio))
    .all('*', (c) => {
      throw new InterlockError('studio/not-found', { path: c.req.path });
    });
  const base = mountAt(path);
  return new Hono()
    .use(headers, guardAccess(access, base), compress()) // what streams is sent as it is
    .route('/api', api)
    .route('/', pageRoutes(base))
    .onError(errorResponse);
};
