import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Mastra } from '@mastra/core/mastra';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openStudio, studioRoute } from './index.js';
import { folder, makeAgent } from './test-setup.js';

const mastraOf = (server?: object) =>
  new Mastra({ agents: { helper: makeAgent([{ text: 'Hello.' }]).agent }, logger: false, ...(server && { server }) });

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

it('routes requests by their full path', async () => {
  const studio = await openStudio({ mastra: mastraOf(), path: '/tools/studio', token: 'secret' });
  onTestFinished(studio.close);
  const statusOf = async (path: string, headers = {}) =>
    (await studio.fetch(new Request(`http://app.example${path}`, { headers }))).status;
  expect(await statusOf('/tools/studio/api/runs')).toBe(401);
  expect(await statusOf('/tools/studio/api/runs', { Authorization: 'Bearer secret' })).toBe(200);
  expect(await statusOf('/api/runs', { Authorization: 'Bearer secret' })).toBe(404);
});

it('serves as a listener of a Node server and passes on other paths', async () => {
  const studio = await openStudio({ mastra: mastraOf(), path: '/studio/' });
  onTestFinished(studio.close);
  const base = await serve((request, response) =>
    studio.listener(request, response, () => response.end(`the application: ${request.url}`)),
  );
  expect(await (await fetch(`${base}/studio/api/runs`)).json()).toEqual({ runs: [] });
  expect((await fetch(`${base}/studio/api/runs`, { headers: { 'X-Forwarded-For': '203.0.113.9' } })).status).toBe(403);
  expect(await (await fetch(`${base}/studios?x=1`)).text()).toBe('the application: /studios?x=1');
  const alone = await serve((request, response) => studio.listener(request, response));
  expect((await fetch(`${alone}/studios`)).status).toBe(404);
});

it('uses the original URL if a framework strips the mount path', async () => {
  const studio = await openStudio({ mastra: mastraOf(), path: '/studio' });
  onTestFinished(studio.close);
  const base = await serve((request, response) => {
    Object.assign(request, { originalUrl: request.url, url: request.url?.replace('/studio', '') });
    studio.listener(request, response, () => response.end('the application'));
  });
  expect(await (await fetch(`${base}/studio/api/runs`)).json()).toEqual({ runs: [] });
});

interface Context {
  readonly req: { readonly raw: Request };
  readonly get: () => ReadonlyMap<string, unknown>;
}
type Handler = (context: Context) => Promise<Response>;

/** The route as Mastra's server calls it. */
const started = async (mastra: Mastra, route = studioRoute()) => {
  if (!('createHandler' in route)) throw new Error('The route makes its handler with the Mastra instance.');
  const handler = (await route.createHandler({ mastra })) as Handler;
  return (path: string, headers = {}, user?: object) =>
    handler({
      req: { raw: new Request(`http://app.example${path}`, { headers }) },
      get: () => new Map(user && [['mastra__user', user]]),
    });
};

it('uses the login of the server for access', async () => {
  const route = studioRoute({ path: '/tools/interlock' });
  expect(route).toMatchObject({ path: '/tools/interlock/*', method: 'ALL', requiresAuth: true });
  const ask = await started(mastraOf({ auth: { authenticateToken: async () => ({}) } }), route);
  expect((await ask('/tools/interlock/api/runs', {}, { id: 'admin' })).status).toBe(200);
  expect((await ask('/tools/interlock/api/runs')).status).toBe(401);
  const foreign = await ask('/tools/interlock/api/runs', { Origin: 'http://evil.example' }, { id: 'admin' });
  expect(foreign.status).toBe(403);
});

it('sends a browser to the login of the server, and rejects one whose rules it cannot check', async () => {
  const route = studioRoute({ loginUrl: '/login' });
  const auth = {
    authenticateToken: async (token: string) => (token === 'of-ann' || token === 'of-bob' ? { id: token } : null),
    authorizeUser: ({ id }: { id: string }) => id === 'of-ann',
  };
  const ask = await started(mastraOf({ auth }), route);
  const page = { Accept: 'text/html' };
  expect((await ask('/interlock/api/runs', { Authorization: 'Bearer of-ann' })).status).toBe(200);
  expect((await ask('/interlock/', { ...page, Authorization: 'Bearer of-ann' })).status).not.toBe(302);
  for (const header of [{}, { Authorization: 'Bearer of-bob' }, { Authorization: 'Bearer wrong' }]) {
    expect((await ask('/interlock/api/runs', header, { id: 'of-ann' })).status).toBe(401);
    const sent = await ask('/interlock/runs/one', { ...page, ...header });
    expect([sent.status, sent.headers.get('location')]).toEqual([302, '/login']);
  }
  await expect(started(mastraOf({ auth: { authenticateToken: async () => null } }), route)).rejects.toThrow('pass `authorize`');
});

it('checks access with its own token or function', async () => {
  const route = studioRoute({ token: 'secret' });
  expect(route).toMatchObject({ path: '/interlock/*', requiresAuth: false });
  expect(studioRoute({ authorize: () => true })).toMatchObject({ requiresAuth: false });
  const ask = await started(mastraOf({ auth: { authenticateToken: async () => ({}) } }), route);
  expect((await ask('/interlock/api/runs')).status).toBe(401);
  expect((await ask('/interlock/api/runs', { Authorization: 'Bearer secret' })).status).toBe(200);
});

it('generates a token and logs the URL if the server has no login', async () => {
  const mastra = mastraOf();
  const info = vi.fn();
  vi.spyOn(mastra, 'getLogger').mockReturnValue({ info } as never);
  const ask = await started(mastra, studioRoute({ file: `${folder()}/runs.db` }));
  expect((await ask('/interlock/api/runs')).status).toBe(401);
  const [, token = ''] = /open \/interlock\/\?token=(\S+) on/.exec(String(info.mock.calls[0]?.[0])) ?? [];
  expect((await ask('/interlock/api/runs', { Authorization: `Bearer ${decodeURIComponent(token)}` })).status).toBe(200);
});
