import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

import type { RunPage } from '../../../playground/protocol/runs.js';
import { buildPages } from '../../../playground/samples/run-studio.js';
import { writeBuiltPackage } from '../../built-package.js';
import { useBrowser } from '../use-browser.js';
import { expectVisible } from './expect-visible.js';

const browser = useBrowser({ suite: 'studio' });
const root = join(import.meta.dirname, '../../..');
const cli = join(import.meta.dirname, '../node_modules/mastra/dist/index.js');
const project = mkdtempSync(join(tmpdir(), 'studio-mastra-dev-'));

/** A project with the built package, like after `npm install`. */
beforeAll(async () => {
  await buildPages(() => undefined);
  const modules = join(project, 'node_modules');
  const own = join(modules, 'mastra-interlock');
  mkdirSync(own, { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  await writeBuiltPackage(join(own, 'dist'));
  cpSync(join(root, 'package.json'), join(own, 'package.json'));
  cpSync(join(root, 'dist/studio'), join(own, 'dist/studio'), { recursive: true });
  const dependencies = { '@mastra/core': '*', 'mastra-interlock': '*' };
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module', dependencies }));
  mkdirSync(join(project, 'src/mastra'), { recursive: true });
});

let server: ChildProcess | undefined;
afterEach(async () => {
  if (!server || server.exitCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGINT');
  await exited;
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

const freePort = async (): Promise<number> => {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo; // it listens on a port
  listener.close();
  await once(listener, 'close');
  return port;
};

const application = (options: string) => `
  import { Mastra } from '@mastra/core/mastra';
  import { SimpleAuth } from '@mastra/core/server';
  import { InterlockAgent } from 'mastra-interlock';
  import { studioRoute } from 'mastra-interlock/studio';
  import { scriptedModel } from 'mastra-interlock/testing';
  import { redactor } from 'mastra-interlock/guards';

  const model = scriptedModel({ steps: ({ prompt }) => ({ text: 'Received: ' + JSON.stringify(prompt.at(-1)) }) });
  const support = new InterlockAgent({ id: 'support', name: 'Support', instructions: 'Help.', model, inputProcessors: [redactor({ strategy: 'replace' })] });
  export const mastra = new Mastra({ agents: { support }, server: ${options} });
`;

const environment = () => {
  const { NODE_ENV: _, ...inherited } = process.env;
  return { ...inherited, MASTRA_TELEMETRY_DISABLED: '1' };
};

/** Starts a server of the application; settles when its output matches all expressions, with the match of the first. */
const start = async (args: readonly string[], ...expected: readonly RegExp[]): Promise<{ url: string; found: string }> => {
  const port = await freePort();
  const env = { ...environment(), PORT: String(port) };
  const started = (server = spawn(process.execPath, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] }));
  let output = '';
  const found = await new Promise<string>((resolve, reject) => {
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (data) => {
        output += String(data);
        const [match, ...others] = expected.map((one) => one.exec(output));
        if (match && others.every(Boolean)) resolve(match[0]);
      });
    started.once('exit', () => reject(new Error(`The server ended:\n${output}`)));
  });
  return { url: `http://localhost:${port}`, found };
};

/** Starts `mastra dev`; settles when the output matches `isReady`. */
const startDev = (options: string, isReady: RegExp) => {
  writeFileSync(join(project, 'src/mastra/index.ts'), application(options));
  return start([cli, 'dev'], isReady, /ready in/);
};

const generate = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/agents/support/generate`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: ['My mail is ada@example.com.'] }),
  });

it('is protected by the login of the application and shows the runs of the development server', async () => {
  const auth = "new SimpleAuth({ tokens: { 'of-an-admin': { id: 'admin' } } })";
  const { url } = await startDev(`{ auth: ${auth}, apiRoutes: [studioRoute()] }`, /ready in/);
  const admin = { Authorization: 'Bearer of-an-admin' };
  const statusOf = async (path: string, headers = {}) => (await fetch(url + path, { headers })).status;
  for (const path of ['/interlock/', '/interlock/runs', '/interlock/api/runs'])
    expect([path, await statusOf(path), await statusOf(path, admin)]).toEqual([path, 401, 200]);
  expect((await generate(url, admin)).status).toBe(200);
  const { runs } = (await (await fetch(`${url}/interlock/api/runs`, { headers: admin })).json()) as RunPage;
  expect(runs).toMatchObject([
    { agentId: 'support', userText: 'My mail is ada@example.com.', status: 'success', guards: ['redactor'] },
  ]);
});

it('opens at the URL that the development server prints', async () => {
  const { url, found } = await startDev('{ apiRoutes: [studioRoute()] }', /\/interlock\/\?token=[\w-]+/);
  expect((await generate(url)).status).toBe(200);
  const page = await browser().open(url + found);
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.locator('.run-row').click();
  await expectVisible(page.getByRole('slider', { name: 'Timeline position' }));
  await expectVisible(page.locator('.run-story').getByText('redactor'));
  await browser().screenshot(page, 'mastra-dev');
});

it('guards the agents of a server that `mastra build` made', async () => {
  writeFileSync(join(project, 'src/mastra/index.ts'), application('{}'));
  const bin = join(project, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\n', { mode: 0o755 }); // the server finds its packages in the project
  const env = { ...environment(), PATH: `${bin}:${process.env['PATH'] ?? ''}` };
  await promisify(execFile)(process.execPath, [cli, 'build'], { cwd: project, env, maxBuffer: 2 ** 24 });
  const { url } = await start([join(project, '.mastra/output/index.mjs')], /running/);
  const { text } = (await (await generate(url)).json()) as { text: string };
  expect(text).toContain('My mail is [EMAIL].');
  expect(text).not.toContain('ada@example.com');
});
