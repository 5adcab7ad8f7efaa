import { serve, type ServerType } from '@hono/node-server';
import { MastraServer, type HonoBindings, type HonoVariables } from '@mastra/hono';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startOpenAIServer } from '../../../src/testing/index.js';
import { createApp } from './create-app.js';
import { reply } from './model.js';

const listen = (fetch: Hono['fetch']) =>
  new Promise<{ server: ServerType; url: string }>((resolve) => {
    const server = serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }: AddressInfo) =>
      resolve({ server, url: `http://127.0.0.1:${port}` }),
    );
  });

/** The sample app behind Mastra's own server on a free port, with its model, over a database on disk. */
export const serveApp = async () => {
  const provider = await startOpenAIServer({ reply });
  const folder = await mkdtemp(join(tmpdir(), 'interlock-hosts-'));
  const app = createApp({ modelUrl: provider.baseUrl, databaseUrl: `file:${join(folder, 'app.db')}` });
  const hono = new Hono<{ Bindings: HonoBindings; Variables: HonoVariables }>();
  hono.use(cors({ origin: (origin) => origin, credentials: true }));
  hono.get('/', (c) => c.text('The sample app.')); // Studio checks that the server is running
  await new MastraServer({ app: hono, mastra: app.mastra }).init();
  const { server, url } = await listen(hono.fetch as Hono['fetch']);
  return {
    ...app,
    url,
    /** The model's requests so far. */
    requests: provider.requests,
    close: async () => {
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
      await provider.close();
      await app.storage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
