import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { InterlockError } from '../../../src/index.js';

/** Where the built pages are: beside the built server, or where the repository builds them to. */
export const builtPages = (): string => {
  const isBuilt = import.meta.url.endsWith('.js');
  return fileURLToPath(new URL(isBuilt ? '../../web' : '../../../dist/playground/web', import.meta.url));
};

/** The place in the page where the path stands under which it is served. */
const basePlace = '<base href="/" />';

/**
 * The studio's pages. Every address that is no file is the page itself, which reads its own address.
 *
 * @param path where the studio is mounted, with a slash at both ends
 */
export const pageRoutes = (path: string, folder: string = builtPages()): Hono => {
  const inFolder = (requested: string): string => (requested.startsWith(path) ? `/${requested.slice(path.length)}` : requested);
  return new Hono()
    .use('/assets/*', (c, next) => {
      c.header('Cache-Control', 'public, max-age=31536000, immutable'); // their names say what is in them
      return next();
    })
    .get('/assets/*', serveStatic({ root: folder, rewriteRequestPath: inFolder }))
    .get('/favicon.svg', serveStatic({ root: folder, rewriteRequestPath: inFolder }))
    .get('/assets/*', (c) => {
      throw new InterlockError('studio/not-found', { path: c.req.path });
    })
    .get('*', (c) => {
      c.header('Cache-Control', 'no-cache');
      return c.html(readPage(folder).replace(basePlace, `<base href="${encodeURI(path)}" />`));
    });
};

/** Read each time, since the pages may be built anew while the server runs. */
const readPage = (folder: string): string => {
  try {
    return readFileSync(`${folder}/index.html`, 'utf8');
  } catch (cause) {
    throw new InterlockError('studio/no-assets', { path: folder, cause });
  }
};
