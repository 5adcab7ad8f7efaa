import { serve, type ServerType } from '@hono/node-server';
import { Mastra } from '@mastra/core/mastra';
import { SimpleAuth } from '@mastra/core/server';
import { MastraServer, type HonoBindings, type HonoVariables } from '@mastra/hono';
import { Hono } from 'hono';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

import { buildPages } from '../../../playground/samples/run-studio.js';
import { studioRoute } from '../../../playground/server/index.js';
import { InterlockAgent } from '../../../src/index.js';
import { scriptedModel } from '../../../src/testing/index.js';
import { useBrowser } from '../use-browser.js';
import { expectVisible } from './expect-visible.js';

const browser = useBrowser({ suite: 'studio' });
const servers: ServerType[] = [];

/** An application behind Mastra's own server, with the studio among its routes. */
const serveMastra = async (server: NonNullable<ConstructorParameters<typeof Mastra>[0]>['server']): Promise<string> => {
  const model = scriptedModel({ steps: () => ({ text: 'It is on its way.' }) });
  const support = new InterlockAgent({ id: 'support', name: 'Support', instructions: 'Help.', model });
  const mastra = new Mastra({ agents: { support }, logger: false, server });
  const app = new Hono<{ Bindings: HonoBindings; Variables: HonoVariables }>();
  await new MastraServer({ app, mastra }).init();
  return new Promise((resolve) => {
    const listening = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }: AddressInfo) =>
      resolve(`http://127.0.0.1:${port}`),
    );
    servers.push(listening);
  });
};

beforeAll(() => buildPages(() => undefined));
beforeAll(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined); // the server searches the network for model providers
});

afterAll(() => {
  for (const server of servers) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
  vi.restoreAllMocks();
});

it('is protected by the login of the Mastra server', async () => {
  const auth = new SimpleAuth({ tokens: { 'of-an-admin': { id: 'admin' } } });
  const url = await serveMastra({ auth, apiRoutes: [studioRoute()] });
  const statusOf = async (path: string, headers = {}) => (await fetch(url + path, { headers })).status;
  const admin = { Authorization: 'Bearer of-an-admin' };
  for (const path of ['/interlock', '/interlock/', '/interlock/runs', '/interlock/api/runs', '/interlock/api/live'])
    expect([path, await statusOf(path), await statusOf(path, { Authorization: 'Bearer wrong' })]).toEqual([path, 401, 401]);
  expect(await statusOf('/interlock/', admin)).toBe(200);
  expect(await statusOf('/interlock/api/runs', admin)).toBe(200);
  expect(await statusOf('/interlock/api/runs', { ...admin, Origin: 'http://evil.example' })).toBe(403);
  const started = await fetch(`${url}/interlock/api/agents/support/runs`, {
    method: 'POST',
    headers: { ...admin, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Where is it?' }),
  });
  expect(started.status).toBe(201);
});

it('sends a browser without a login to the login of the application', async () => {
  const auth = new SimpleAuth({ tokens: { 'of-an-admin': { id: 'admin' } } });
  const url = await serveMastra({ auth, apiRoutes: [studioRoute({ loginUrl: '/login' })] });
  const answerTo = async (path: string, headers: Record<string, string>) => {
    const { status, headers: sent } = await fetch(url + path, { headers, redirect: 'manual' });
    return [status, sent.get('location')];
  };
  const page = { Accept: 'text/html' };
  expect(await answerTo('/interlock', page)).toEqual([302, '/interlock/']);
  expect(await answerTo('/interlock/runs/one', page)).toEqual([302, '/login']);
  expect(await answerTo('/interlock/api/runs', {})).toEqual([401, null]);
  expect(await answerTo('/interlock/runs/one', { ...page, Cookie: 'mastra-token=of-an-admin' })).toEqual([200, null]);
  expect(await answerTo('/interlock/api/runs', { Authorization: 'Bearer of-an-admin' })).toEqual([200, null]);
});

it('works in the browser as a route of the Mastra server', async () => {
  const url = await serveMastra({ apiRoutes: [studioRoute({ path: '/tools/interlock', token: 'secret' })] });
  const page = await browser().open(`${url}/tools/interlock/?token=secret`);
  await page.getByLabel('Your message').fill('Where is it?');
  await page.getByRole('button', { name: 'Send' }).click();
  await expectVisible(page.getByText('It is on its way.'));
  expect(page.url()).toMatch(/\/tools\/interlock\/\?agent=support/); // the address no longer contains the token
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.locator('.run-row').click();
  await expectVisible(page.getByRole('slider', { name: 'Timeline position' }));
  await page.reload();
  await expectVisible(page.locator('.inspector').getByText('It is on its way.'));
});
