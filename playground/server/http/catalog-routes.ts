import { Hono } from 'hono';
import { etag } from 'hono/etag';
import type { Catalog } from '../../protocol/catalog.js';
import { describeKnown } from '../catalog/catalog.js';
import { machineAsJson } from '../catalog/machine.js';
import type { Studio } from '../studio.js';

/** What there is: phases, states, agents, pipelines. */
export const catalogRoutes = (studio: Studio): Hono =>
  new Hono()
    .get('/catalog', etag(), async (c) => {
      const catalog: Catalog = { ...studio.library, ...(await describeKnown(await studio.known(), studio.examples)) };
      c.header('Cache-Control', 'no-cache'); // it may be another one after a restart
      return c.json(catalog);
    })
    .get('/machine', (c) => c.json(machineAsJson() as object));
