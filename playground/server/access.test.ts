import { statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { Hono } from 'hono';
import { serve } from '@hono/node-server';
import { Mastra } from '@mastra/core/mastra';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApp } from './http/app.js';
import { studioRoutes, type StudioRoutesOptions } from './index.js';
import { openMemoryStore } from './store/open-store.js';
import { createStudio } from './studio.js';
import { folder, makeAgent, openStudio, rawGet } from './test-setup.js';

const codeIn = (body: string): string => (JSON.parse(body) as { error: { code: string } }).error.code;
const agent = () => makeAgent([{ text: 'Hello.' }]).agent;

describe('without a token on this machine', () => {
  it.each([
    [{ Host: 'evil.example' }],
    [{ Host: 'localhost.evil.example:80' }],
    [{ Host: '127.0.0.1.evil.example' }],
    [{ 'X-Forwarded-For': '203.0.113.9' }],
    [{ Forwarded: 'for=203.0.113.9' }],
    [{ Origin: 'http://evil.example' }],
    [{ Origin: 'null' }],
    [{ Origin: 'http://localhost:1' }],
    [{ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' }],
    [{ 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' }],
  ])('rejects a request with %j', async (headers) => {
    const { base } = await openStudio(agent());
    for (const path of ['/api/runs', '/api/catalog', '/api/live', '/runs/1']) {
      const { status, body } = await rawGet(`${base}${path}`, headers);
      expect([path, status, codeIn(body)]).toEqual([path, 403, 'studio/forbidden']);
    }
  });

  it.each(['localhost', '127.0.0.1', '[::1]'])('accepts requests to the host %s from its own pages', async (name) => {
    const { base } = await openStudio(agent());
    const host = `${name}:${new URL(base).port}`;
    expect((await rawGet(`${base}/api/runs`, { Host: host, Origin: `http://${host}` })).status).toBe(200);
  });

  it('accepts navigation from another site', async () => {
    const { base } = await openStudio(agent());
    const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
    expect((await rawGet(`${base}/api/runs`, headers)).status).toBe(200);
  });

  it('starts no run for another site', async () => {
    const studio = await openStudio(agent());
    const response = await studio.get('agents/helper/runs', {
      method: 'POST',
      headers: { Origin: 'http://evil.example', 'content-type': 'text/plain' },
      body: JSON.stringify({ text: 'Hello' }),
    });
    expect(response.status).toBe(403);
    expect(await studio.json('runs')).toEqual({ runs: [] });
  });

  it('sends headers that block content from other origins', async () => {
    const { get } = await openStudio(agent());
    const { headers } = await get('runs');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src [^;]*unsafe/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('with a token', () => {
  const token = 'correct horse';

  it('is required for every path and compared in full', async () => {
    const { base } = await openStudio(agent(), { token });
    for (const headers of [
      {},
      { Authorization: 'Bearer wrong' },
      { Cookie: 'interlock_studio_80=correct horse' },
      { Authorization: `Bearer ${token} ` },
    ] as Record<string, string>[])
      for (const path of ['/api/runs', '/', '/assets/x.js']) {
        const { status, body } = await rawGet(`${base}${path}`, headers);
        if (headers['Authorization'] === `Bearer ${token} `) continue; // HTTP trims the ends of a header
        expect([status, codeIn(body)]).toEqual([401, 'studio/unauthorized']);
      }
    expect((await rawGet(`${base}/api/runs`, { Authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await rawGet(`${base}/api/runs?token=wrong`, {})).status).toBe(401);
  });

  it('moves from the URL into a cookie hidden from scripts and other sites', async () => {
    const { url, base } = await openStudio(agent(), { token });
    const opened = await fetch(url.replace(/\/\?/, '/runs?status=failed&'), { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([302, '/runs?status=failed']);
    const cookie = opened.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    expect(cookie).toContain('; Path=/;');
    expect(decodeURIComponent(cookie)).not.toContain(token);
    expect(cookie).toContain(`interlock_studio_${new URL(base).port}=`);
    expect((await fetch(`${base}/api/runs`, { headers: { Cookie: cookie.split(';')[0] ?? '' } })).status).toBe(200);
  });

  it('is requested with a form if a page is opened without it', async () => {
    const { base } = await openStudio(agent(), { token });
    const { status, body } = await rawGet(`${base}/runs`, { Accept: 'text/html' });
    expect([status, body]).toEqual([401, expect.stringContaining('name="token"')]);
  });

  it('is generated on this machine unless the option is false', async () => {
    const { url, base } = await openStudio(agent(), { token: undefined });
    expect((await fetch(`${base}/api/runs`)).status).toBe(401);
    expect((await fetch(url)).status).toBe(401); // redirected, and fetch keeps no cookie
    await expect(openStudio(agent(), { host: '0.0.0.0', token: false })).rejects.toMatchObject({ code: 'studio/invalid-option' });
  });

  it('stays the same after a restart if generated', async () => {
    const file = `${folder()}/runs.db`;
    const first = await openStudio(agent(), { token: undefined, file });
    await first.close();
    const second = await openStudio(agent(), { token: undefined, file });
    expect(new URL(second.url).search).toBe(new URL(first.url).search);
    expect(statSync(`${file}.token`).mode & 0o077).toBe(0);
  });

  it('is generated for a public host', async () => {
    const { url } = await openStudio(agent(), { host: '0.0.0.0', token: undefined });
    const made = new URL(url).searchParams.get('token') ?? '';
    expect(made).toMatch(/^[\w-]{32}$/);
    const other =
      Object.values(networkInterfaces())
        .flat()
        .find((one) => one?.family === 'IPv4' && !one.internal)?.address ?? '127.0.0.1';
    const base = `http://${other}:${new URL(url).port}`;
    expect((await fetch(`${base}/api/runs`)).status).toBe(401);
    expect((await fetch(`${base}/api/runs`, { headers: { Authorization: `Bearer ${made}` } })).status).toBe(200);
  });
});

describe('a mounted studio', () => {
  const mount = async (options: Partial<StudioRoutesOptions>, hostname = '127.0.0.1') => {
    const mastra = new Mastra({ agents: { helper: agent() }, logger: false });
    const app = new Hono()
      .get('/own', (c) => c.text('mine'))
      .route('/ops/studio', await studioRoutes({ mastra, path: '/ops/studio', ...options }));
    const server = serve({ fetch: app.fetch, port: 0, hostname });
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  };

  it('answers under its path and leaves other paths to the application', async () => {
    const base = await mount({});
    expect(await (await fetch(`${base}/own`)).text()).toBe('mine');
    expect((await fetch(`${base}/ops/studio/api/runs`)).status).toBe(200);
    expect((await fetch(`${base}/api/runs`)).status).toBe(404);
  });

  it('limits its cookie to its own path', async () => {
    const base = await mount({ token: 'secret' });
    const opened = await fetch(`${base}/ops/studio/?token=secret`, { redirect: 'manual' });
    expect(opened.headers.get('set-cookie')).toContain('Path=/ops/studio/;');
    const Cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await fetch(`${base}/ops/studio/api/runs`, { headers: { Cookie } })).status).toBe(200);
  });

  it('uses the authorize function of the application', async () => {
    const base = await mount({ authorize: async (request) => request.headers.get('x-role') === 'admin' });
    expect((await fetch(`${base}/ops/studio/api/runs`)).status).toBe(401);
    expect((await fetch(`${base}/ops/studio/api/runs`, { headers: { 'x-role': 'admin' } })).status).toBe(200);
  });

  it('sends a browser without a login to the login of the application, or says where to log in', async () => {
    const html = { headers: { Accept: 'text/html' }, redirect: 'manual' } as const;
    const silent = await fetch(`${await mount({ authorize: () => false })}/ops/studio/`, html);
    expect(silent.status).toBe(401);
    expect(await silent.text()).toContain('Log in to open the studio');
    const base = await mount({ authorize: () => false, loginUrl: '/login' });
    const sent = await fetch(`${base}/ops/studio/`, html);
    expect([sent.status, sent.headers.get('location')]).toEqual([302, '/login']);
    const program = await fetch(`${base}/ops/studio/api/runs`);
    expect(program.status).toBe(401);
    expect(await program.text()).toContain('log in to the application that serves it');
  });

  it('rejects requests from an unknown client address', async () => {
    const mastra = new Mastra({ agents: { helper: agent() }, logger: false });
    const app = createApp(createStudio({ mastra, store: openMemoryStore() }));
    const response = await app.request('/api/runs', { headers: { Host: 'localhost' } });
    expect(response.status).toBe(403);
  });
});

describe('hostile requests', () => {
  it.each([
    ['POST', 'agents/helper/runs', '{', 400, 'studio/invalid-request'],
    ['POST', 'agents/helper/runs', '{"text":""}', 400, 'studio/invalid-request'],
    ['POST', 'agents/helper/runs', '{"text":{"a":1}}', 400, 'studio/invalid-request'],
    ['POST', 'agents/nobody/runs', '{"text":"x"}', 404, 'studio/not-found'],
    ['POST', 'agents/__proto__/runs', '{"text":"x"}', 404, 'studio/not-found'],
    ['POST', 'runs/none/answer', '{"toolCallId":"a","approved":true}', 404, 'studio/not-found'],
    ['POST', 'runs/none/cancel', '{}', 404, 'studio/not-found'],
    ['GET', 'runs/none', undefined, 404, 'studio/not-found'],
    ['GET', 'runs/none/entries', undefined, 404, 'studio/not-found'],
    ['GET', 'runs/none/guards/0', undefined, 404, 'studio/not-found'],
    ['GET', 'runs/..%2f..%2fpackage.json', undefined, 404, 'studio/not-found'],
    ['GET', 'runs?limit=0', undefined, 400, 'studio/invalid-request'],
    ['GET', 'runs?limit=99999999', undefined, 400, 'studio/invalid-request'],
    ['GET', 'pipelines/none/mermaid', undefined, 404, 'studio/not-found'],
    ['POST', 'pipelines/goes-out/try', '{"phase":"input","engine":"plan","payload":[]}', 400, 'schema/invalid-payload'],
    [
      'POST',
      'lab/stream',
      '{"pipelineId":"goes-out","kind":"text","cutting":{"kind":"random","seed":1,"mean":0}}',
      400,
      'studio/invalid-request',
    ],
    ['DELETE', 'runs/none', undefined, 404, 'studio/not-found'],
    ['GET', 'nothing/here', undefined, 404, 'studio/not-found'],
  ])('%s %s %s is %i', async (method, path, body, status, code) => {
    const { get } = await openStudio(agent());
    const response = await get(path, { method, body, headers: { 'content-type': 'application/json' } });
    expect([response.status, codeIn(await response.text())]).toEqual([status, code]);
  });

  it('above 4 MB are rejected', async () => {
    const { get } = await openStudio(agent());
    const response = await get('agents/helper/runs', { method: 'POST', body: JSON.stringify({ text: 'x'.repeat(5_000_000) }) });
    expect([response.status, await response.json()]).toEqual([
      413,
      { error: { code: 'studio/invalid-request', message: 'The request is larger than 4 MB.' } },
    ]);
  });
});
