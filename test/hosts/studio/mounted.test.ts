import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Mastra } from '@mastra/core/mastra';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { buildPages } from '../../../playground/samples/run-studio.js';
import { openStudio } from '../../../playground/server/index.js';
import { InterlockAgent } from '../../../src/index.js';
import { scriptedModel } from '../../../src/testing/index.js';
import { useBrowser } from '../use-browser.js';
import { expectVisible } from './expect-visible.js';

const browser = useBrowser({ suite: 'studio' });

let server: Server;
let address: string;
let close: () => Promise<void>;

beforeAll(async () => {
  await buildPages(() => undefined);
  const model = scriptedModel({ steps: () => ({ text: 'It is on its way.' }) });
  const support = new InterlockAgent({ id: 'support', name: 'Support', instructions: 'Help.', model });
  const studio = await openStudio({
    mastra: new Mastra({ agents: { support }, logger: false }),
    path: '/tools/studio',
    authorize: () => true,
  });
  close = studio.close;
  const app = new Hono().get('/', (c) => c.text('the application')).route('/tools/studio', studio.routes);
  const answer = getRequestListener(app.fetch);
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await close();
  server.closeAllConnections();
  server.close();
});

it('works under a path of another server', async () => {
  const page = await browser().open(`${address}/tools/studio/`);
  await page.getByLabel('Your message').fill('Where is it?');
  await page.getByRole('button', { name: 'Send' }).click();
  await expectVisible(page.getByText('It is on its way.'));
  expect(new URL(page.url()).pathname).toBe('/tools/studio/');
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.locator('.run-row').click();
  await expectVisible(page.getByRole('slider', { name: 'Timeline position' }));
  expect(new URL(page.url()).pathname).toMatch(/^\/tools\/studio\/runs\/[\w-]+$/);
  await page.reload();
  await expectVisible(page.locator('.inspector').getByText('It is on its way.').first());
});
