import { Hono, type MiddlewareHandler, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { etag } from 'hono/etag';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { InterlockError, isInterlockError, type ErrorCode } from '../../../src/index.js';
import { parseTrace, redactTrace } from '../../../src/replay.js';
import { type Studio, summaryOf } from '../studio.js';
import { guardAccess, type Access } from './access.js';
import { pageRoutes, builtPages } from './pages.js';
import { runRoutes } from './run-routes.js';
import { workbenchRoutes } from './workbench-routes.js';
import { wordsRoutes, traceLinesOf } from './words-routes.js';
import type { Catalog } from '../../protocol/catalog.js';
import { describeKnown } from '../catalog/catalog.js';
import { describeSchemas } from '../catalog/form-schemas.js';
import { machineAsJson } from '../catalog/machine.js';
import { importRuns } from '../export/import-run.js';
import { onePage } from '../export/one-page.js';
import { runFileOf } from '../export/run-file.js';
import { attached } from './attached.js';
import { wordsQuerySchema } from './inputs.js';
import { readQuery } from './read-request.js';

export interface AppOptions extends Access {
  /** The mount path of the application. Default `'/'`. */
  readonly path?: string;
}

/** The maximum size of a request, except for the import of a file. */
const mostBytes = 4 * 1024 * 1024;

const importedBytes = 64 * 1024 * 1024;

const limitOf = (maxSize: number): MiddlewareHandler =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw new HTTPException(413, { message: `The request is larger than ${maxSize / 1024 / 1024} MB.` });
    },
  });

/** Allows only our own scripts and requests; scripts also set styles, element by element. */
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
  strictTransportSecurity: false, // it is usually served over HTTP
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
    .use(headers, guardAccess(access, base), compress()) // streams are sent uncompressed
    .route('/api', api)
    .route('/', pageRoutes(base))
    .onError(errorResponse);
};

/** The catalog: phases, states, agents, pipelines. */
const catalogRoutes = (studio: Studio): Hono => {
  const schemas = describeSchemas();
  return new Hono()
    .get('/catalog', etag(), async (c) => {
      const catalog: Catalog = { ...studio.library, ...(await describeKnown(await studio.known(), studio.examples)) };
      c.header('Cache-Control', 'no-cache'); // it may change after a restart
      return c.json(catalog);
    })
    .get('/schemas', etag(), (c) => c.json(schemas))
    .get('/machine', (c) => c.json(machineAsJson() as object));
};

/** HTTP statuses of codes that differ from the status of their `actor`. */
const statuses: Partial<Record<ErrorCode, ContentfulStatusCode>> = {
  'studio/not-found': 404,
  'studio/no-assets': 404,
  'studio/not-suspended': 409,
  'agent/no-suspended-run': 409,
  'studio/content-withheld': 403,
  'studio/unauthorized': 401,
  'studio/forbidden': 403,
};

/** An error in the format for pages: `{ error: { code, message, docs, path } }`. */
const errorResponse = (error: unknown, context: Context): Response => {
  if (isInterlockError(error)) {
    const { code, message, docs, path, actor } = error;
    const status = statuses[code] ?? (actor === 'operator' || actor === 'provider' ? 500 : 400);
    return context.json({ error: { code, message, docs, ...(path !== undefined && { path }) } }, status);
  }
  if (error instanceof HTTPException)
    return context.json({ error: { code: 'studio/invalid-request', message: error.message } }, error.status);
  const message = error instanceof Error ? error.message : String(error);
  return context.json({ error: { code: 'run/failed', message } }, 500);
};

/** Export and import of runs as files. */
const fileRoutes = (studio: Studio): Hono => {
  const withAllWords = (words: string | undefined, runId: string): boolean => {
    if (words !== 'all') return false;
    if (studio.content !== 'all') throw new InterlockError('studio/content-withheld', { path: runId });
    return true;
  };
  return new Hono()
    .get('/runs/:runId/file', async (c) => {
      const { runId } = await summaryOf(studio, c.req.param('runId'));
      const hasAllWords = withAllWords(readQuery(c, wordsQuerySchema).words, runId);
      const page = onePage(await runFileOf(studio, runId, hasAllWords), builtPages());
      attached(c, `${runId}.html`);
      return c.html(page);
    })
    .get('/runs/:runId/trace', async (c) => {
      const { runId } = await summaryOf(studio, c.req.param('runId'));
      const hasAllWords = withAllWords(readQuery(c, wordsQuerySchema).words, runId);
      const lines = await traceLinesOf(studio, runId);
      const exported = hasAllWords ? lines : redactTrace(parseTrace(lines.join('\n'))).map((entry) => JSON.stringify(entry));
      attached(c, `${runId}.jsonl`);
      return c.body(`${exported.join('\n')}\n`, 200, { 'Content-Type': 'application/x-ndjson' });
    })
    .post('/import', async (c) => c.json(await importRuns(studio, await c.req.text()), 201));
};
