import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

import { buildPages } from '../../../playground/samples/run-studio.js';
import { useBrowser } from '../use-browser.js';
import { expectVisible } from './expect-visible.js';

const browser = useBrowser({ suite: 'studio', tolerated: [/Failed to load resource/, /ERR_/] });

const root = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'studio-killed-'));
let port: number;
let program: ChildProcess;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: found } = server.address() as AddressInfo; // it listens on a port
  server.close();
  await once(server, 'close');
  return found;
};

/** A separate program; settles when it reports that it is ready. */
const start = async (...args: readonly string[]): Promise<void> => {
  const { INTERLOCK_MODEL: _, INTERLOCK_BASE_URL: __, ...env } = process.env;
  const flags = ['--import', './scripts/strip-types.mjs'];
  program = spawn(process.execPath, [...flags, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const { stdout } = program;
  if (!stdout) throw new Error('it has no output');
  let output = '';
  for await (const text of stdout) if ((output += String(text)).includes('Runs are stored')) return;
  throw new Error(`It ended: ${output}`);
};

const runs = join(folder, 'runs.db');

/** `npm start`. */
const startProgram = () => start('playground/samples/main.ts', '--port', `${port}`, '--file', runs);

const killProgram = async (): Promise<void> => {
  const exited = once(program, 'exit');
  program.kill('SIGKILL');
  await exited;
};

/** The program's token, stored next to its runs, so that an open page works after a restart. */
const token = (file: string): string => readFileSync(`${file}.token`, 'utf8');

const linesOf = async (file: string, runId: string): Promise<unknown[]> =>
  (await (
    await fetch(`http://127.0.0.1:${port}/api/runs/${runId}/entries`, { headers: { Authorization: `Bearer ${token(file)}` } })
  ).json()) as unknown[];

beforeAll(async () => {
  await buildPages(() => undefined);
  port = await freePort();
});

afterEach(killProgram);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const send = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Your message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
};

const better = /Returns are free within 30 days/;

it('reports a killed server, reconnects after its restart and loses nothing', async () => {
  await startProgram();
  const page = await browser().open(`http://127.0.0.1:${port}/?agent=support&token=${token(runs)}`);
  await send(page, 'short');
  await expectVisible(page.getByText(better));
  await send(page, 'hang');
  const restoredTurn = page.locator('.turn').nth(1).locator('.answer');
  await expectVisible(restoredTurn.getByText('running'));
  await expectVisible(restoredTurn.locator('.part-text, .attempt').first());
  const link = restoredTurn.getByRole('link', { name: 'Open run' });
  const runId = (await link.getAttribute('href'))?.split('/').at(-1) ?? '';
  const before = await linesOf(runs, runId);
  const seen = await page.locator('.transcript').textContent();

  await killProgram();
  await expectVisible(restoredTurn.getByText('Server not reachable. Reconnecting …'));
  await browser().screenshot(page, 'killed');

  await startProgram();
  await expectVisible(restoredTurn.getByText('interrupted', { exact: true }));
  await expectVisible(restoredTurn.getByText(/studio\/interrupted/));
  expect(await restoredTurn.getByText('Server not reachable').count()).toBe(0);
  expect(seen).toMatch(better);
  await expectVisible(page.getByText(better));
  expect((await linesOf(runs, runId)).slice(0, before.length)).toEqual(before);
  await link.click();
  await expectVisible(page.locator('.run-facts').getByText('interrupted'));
  await expectVisible(page.locator('.run-story').getByText(/^Interrupted after/));
  await browser().screenshot(page, 'killed-run');
  await page.getByRole('link', { name: 'Conversation' }).click();
  await page.reload(); // everything was stored
  await expectVisible(page.getByText(better));
  await send(page, 'short');
  await page.getByText(better).nth(1).waitFor();
});

it('follows a durable run to its end after the server was killed during an answer', async () => {
  const [file, effects] = [join(folder, 'clerk.db'), join(folder, 'effects')];
  const startClerk = () => start('test/hosts/studio/clerk-program.ts', `${port}`, file, effects);
  await startClerk();
  const page = await browser().open(`http://127.0.0.1:${port}/?agent=clerk&token=${token(file)}`);
  await send(page, 'Charge me');
  const answer = page.locator('.turn .answer');
  await expectVisible(answer.getByText(/You will/));
  await killProgram();
  await expectVisible(answer.getByText('Server not reachable. Reconnecting …'));

  await startClerk();
  await expectVisible(answer.locator('del').getByText(/You will/)); // text under way is retracted, and repeated
  await browser().screenshot(page, 'killed-goes-on');
  await answer.getByText(/nothing else is left to do\.$/).waitFor({ timeout: 60_000 });
  await expectVisible(answer.getByText('success'));
  expect(await answer.getByText(/studio\/interrupted|The server is away/).count()).toBe(0);
  expect(readFileSync(effects, 'utf8')).toBe('5\n');

  const link = answer.getByRole('link', { name: 'Open run' });
  const lines = (await linesOf(file, (await link.getAttribute('href'))?.split('/').at(-1) ?? '')) as { readonly seq: number }[];
  expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index));
  await link.click();
  await expectVisible(page.locator('.run-facts').getByText('success'));
  await browser().screenshot(page, 'killed-went-on');
  await page.getByRole('link', { name: 'Conversation' }).click();
  await page.reload();
  await expectVisible(page.getByText(/nothing else is left to do\.$/));
});
