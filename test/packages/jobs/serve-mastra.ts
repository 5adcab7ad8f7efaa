import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { MastraClient } from '@mastra/client-js';
import type { Mastra } from '@mastra/core/mastra';
import { MastraServer, type HonoBindings, type HonoVariables } from '@mastra/hono';
import { Hono } from 'hono';

/** Serves an application as Mastra's documentation shows it, on a free port. */
export const serveMastra = async (mastra: Mastra) => {
  const app = new Hono<{ Bindings: HonoBindings; Variables: HonoVariables }>();
  await new MastraServer({ app, mastra }).init();
  const server = serve({ fetch: app.fetch, port: 0 });
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const client = new MastraClient({ baseUrl: `http://127.0.0.1:${port}`, retries: 0 });
  return { client, close: () => server.close() };
};
