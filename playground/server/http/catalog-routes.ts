import { Hono } from 'hono';
import type { Catalog } from '../../protocol/catalog.js';
import { describeKnown } from '../catalog/catalog.js';
import { machineAsJson } from '../catalog/machine.js';
import type { Studio } from '../studio.js';

/** What there is: phases, states, agents, pipelines. */
export const catalogRoutes = (studio: Studio): Hono =>
  new Hono()
    .get('/catalog', async (c) => {
      const catalog: Catalog = { ...studio.library, ...(await describeKnown(await studio.known(), studio.examples)) };
      return c.json(catalog);
    })
    .get('/machine', (c) => c.json(machineAsJson() as object));
