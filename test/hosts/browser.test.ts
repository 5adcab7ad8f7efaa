import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startBrowser, widths, type TestBrowser } from './browser.js';
import { useBrowser } from './use-browser.js';

const pages: Record<string, string> = {
  '/well': '<h1>Well</h1>',
  '/logs': '<script>console.error("it broke")</script>',
  '/throws': '<script>setTimeout(() => { throw new Error("uncaught it is") })</script>',
  '/asks': '<img src="https://elsewhere.example/pixel.png">',
};

const server = createServer((request, response) => {
  const body = pages[request.url ?? ''];
  response.writeHead(body === undefined ? 204 : 200, { 'content-type': 'text/html' }).end(body);
});
const url = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => void server.close(resolve)));

describe('the browser of a test file', () => {
  const browser = useBrowser({ suite: 'browser' });

  it.each(Object.values(widths))('opens a page %i px wide and saves a screenshot', async (width) => {
    const page = await browser().open(url('/well'), { width });
    expect(await page.evaluate('innerWidth')).toBe(width);
    expect(existsSync(await browser().screenshot(page, 'well'))).toBe(true);
  });
});

describe('the problems of pages', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await startBrowser({ suite: 'browser', tolerated: [/ERR_FAILED/] });
  });
  afterAll(() => browser.close());

  it.each([
    ['/well', []],
    ['/logs', [expect.stringContaining('console error: it broke')]],
    ['/throws', ['uncaught: uncaught it is']],
    ['/asks', ['request to another host: https://elsewhere.example/pixel.png']],
  ])('of %s are reported once', async (path, problems) => {
    const page = await browser.open(url(path));
    await page.waitForLoadState('networkidle');
    expect(browser.takeProblems()).toEqual(problems);
    expect(browser.takeProblems()).toEqual([]);
  });
});
