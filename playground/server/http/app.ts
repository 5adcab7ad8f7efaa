import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { InterlockError } from '../../../src/index.js';
import type { Studio } from '../studio.js';
import { guardAccess, type Access } from './access.js';
import { catalogRoutes } from './catalog-routes.js';
import { errorResponse } from './error-response.js';
import { fileRoutes } from './file-routes.js';
import { pageRoutes } from './pages.js';
import { runRoutes } from './run-routes.js';
import { workbenchRoutes } from './workbench-routes.js';
import { wordsRoutes } from './words-routes.js';

export interface AppOptions extends Access {
  /** Where the application is mounted. Default `'/'`. */
  readonly path?: string;
}

/** No request needs more bytes but the import of a file. */
const mostBytes = 4 * 1024 * 1024;

const importedBytes = 64 * 1024 * 1024;

const limitOf = (maxSize: number): MiddlewareHandler =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw new HTTPException(413, { message: `The request is larger than ${maxSize / 1024 / 1024} MB.` });
    },
  });

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
    .use((c, next) => (c.req.path.endsWith('/api/import') ? limitOf(importedBytes) : limitOf(mostBytes))(c, next))
    .route('/', catalogRoutes(studio))
    .route('/', runRoutes(studio))
    .route('/', wordsRoutes(studio))
    .route('/', workbenchRoutes(studio))
    .route('/', fileRoutes(studio))
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
