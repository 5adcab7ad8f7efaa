import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { Hono, type Context } from 'hono';
import { etag } from 'hono/etag';
import { InterlockError } from '../../../src/index.js';

/** The folder of the built pages: next to the built server, or the repository's build folder. */
export const builtPages = (): string => {
  const isBuilt = import.meta.url.endsWith('.js');
  return fileURLToPath(new URL(isBuilt ? './studio' : '../../../dist/studio', import.meta.url));
};

/** The element of the page that is replaced by the mount path. */
const basePlace = '<base href="/" />';

const contentTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/**
 * The studio's pages. Every address other than a file returns the page itself, which reads its own address.
 *
 * @param path the mount path of the studio, with a slash at both ends
 */
export const pageRoutes = (path: string, folder: string = builtPages()): Hono =>
  new Hono()
    .get('/assets/:name', (c) => {
      c.header('Cache-Control', 'public, max-age=31536000, immutable'); // the names depend on the content
      return sendFile(c, `${folder}/assets/`, c.req.param('name'));
    })
    .get('/favicon.svg', etag(), (c) => sendFile(c, `${folder}/`, 'favicon.svg'))
    .get('*', etag(), (c) => {
      c.header('Cache-Control', 'no-cache');
      return c.html(readPage(folder).replace(basePlace, `<base href="${encodeURI(path)}" />`));
    });

/** Sends a file, which the package contains compressed. Raises `studio/not-found`. */
const sendFile = (c: Context, folder: string, name: string): Response => {
  const plain = /^[\w-]+(?:\.[\w-]+)+$/.test(name) ? name : undefined;
  const packed = plain && read(`${folder}${plain}.br`);
  const body = packed ?? (plain && read(folder + plain));
  if (!body) throw new InterlockError('studio/not-found', { path: c.req.path });
  c.header('Content-Type', contentTypes[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream');
  if (!packed) return c.body(body);
  c.header('Vary', 'Accept-Encoding');
  if (!/\bbr\b/.test(c.req.header('Accept-Encoding') ?? '')) return c.body(new Uint8Array(brotliDecompressSync(packed)));
  c.header('Content-Encoding', 'br');
  return c.body(packed);
};

/** A built file, which the package contains compressed. */
export const readAsset = (path: string): Uint8Array<ArrayBuffer> | undefined => {
  const packed = read(`${path}.br`);
  return packed ? new Uint8Array(brotliDecompressSync(packed)) : read(path);
};

const read = (path: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return new Uint8Array(readFileSync(path));
  } catch {
    return undefined;
  }
};

/** Read each time, because the pages may be rebuilt while the server runs. */
export const readPage = (folder: string): string => {
  try {
    return readFileSync(`${folder}/index.html`, 'utf8');
  } catch (cause) {
    throw new InterlockError('studio/no-assets', { path: folder, cause });
  }
};
