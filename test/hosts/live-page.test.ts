import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';

import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { isBuilt } from '../../playground/samples/is-built.js';
import { widths } from './browser.js';
import { useBrowser } from './use-browser.js';

const root = join(import.meta.dirname, '../..');
const siteSources = [
  '{docs,schemas,src,workflows}/**',
  'README.md',
  'site/*.{ts,json}',
  'site/.vitepress/{config.mjs,theme/**}',
  'site/live/**',
];
const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** The built site on a server of files, without rules for addresses. */
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const file = pathname === '/' ? '/index.html' : pathname;
  readFile(join(root, 'site/dist', file)).then(
    (body) => response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' }).end(body),
    () => response.writeHead(204).end(),
  );
});
const at = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
const live = () => at('/live.html');

beforeAll(async () => {
  if (!isBuilt('site/dist/live.html', siteSources))
    await promisify(execFile)('npm', ['run', 'site'], { cwd: root, maxBuffer: 2 ** 24 });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
}, 600_000);
afterAll(() => new Promise((resolve) => void server.close(resolve)));

const findingsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: { id: string; impact: string }[] }>('axe.run(".live")');
  return violations.filter(({ impact }) => /serious|critical/.test(impact)).map(({ id }) => id);
};

describe('the live page of the site', () => {
  const browser = useBrowser({ suite: 'site' });

  it.each([
    ['light', widths.desktop],
    ['dark', widths.desktop],
    ['dark', widths.phone],
  ] as const)('runs a pipeline and every split of an answer, %s at %i px', async (colorScheme, width) => {
    const page = await browser().open(live(), { colorScheme, width });
    await page.getByText('Write to [EMAIL], or call [PHONE].').first().waitFor();
    await page.getByRole('button', { name: 'Try every split' }).click();
    await page.getByText('one output', { exact: true }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await findingsOf(page)).toEqual([]);
    await browser().screenshot(page, `live-${colorScheme}`, { fullPage: true });
  });

  it('shows the splits that leak through a per-chunk filter, and no leak by default', async () => {
    const page = await browser().open(live(), { colorScheme: 'dark' });
    const sample = page.getByLabel('Sample');
    await sample.selectOption('A regular expression on each chunk');
    await page.getByRole('button', { name: 'Try every split' }).click();
    await page.getByText('different outputs').waitFor();
    expect(await page.getByText('Write to jane@example.com, please.').count()).toBeGreaterThan(1);
    await browser().screenshot(page, 'live-leak', { fullPage: true });
    await sample.selectOption('The same filter, by default');
    await page.getByRole('button', { name: 'Try every split' }).click();
    await page.getByText('one output', { exact: true }).waitFor();
    expect(await page.getByText('different outputs').count()).toBe(0);
  });

  it('runs edited code and shows its errors', async () => {
    const page = await browser().open(live());
    await page.getByRole('status').first().waitFor();
    const code = page.getByLabel('Guards: an expression');
    await code.fill('redactor({ strategy: "mask", kinds: ["email"] })');
    await page.getByText('Write to ****@*******.***').first().waitFor();
    await code.fill('redactor({ strategy: "mask", kind: ["email"] })');
    expect(await page.getByRole('alert').textContent()).toContain('guard/unknown-option');
  });
});

describe('the pages of the site', () => {
  const browser = useBrowser({ suite: 'site' });

  it('the home page shows the claim, a diff, a picture and the pipeline, without overflow', async () => {
    const page = await browser().open(at('/'), { width: widths.phone });
    await page.getByText('Write to [EMAIL], or call [PHONE].').first().waitFor();
    expect(await page.locator('.diff.add').count()).toBeGreaterThan(3);
    expect(await page.locator('.VPHero, .diff.remove, img[src*=studio], .live').count()).toBe(4);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('every page of the sidebar answers at its address', async () => {
    const page = await browser().open(at('/guide/start.html'));
    const addresses = await page
      .locator('.VPSidebar a')
      .evaluateAll((links) => links.map((link) => (link as unknown as { href: string }).href));
    const statuses = await Promise.all(addresses.map(async (address) => [address, (await fetch(address)).status]));
    expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
    expect(statuses.length).toBeGreaterThan(30);
  });

  it.each(['approval', 'tripwire', 'retry', 'rate limit', 'redact', 'secrets'])(
    'a search for %s finds a guide first',
    async (words) => {
      const page = await browser().open(at('/guide/start.html'));
      const input = page.locator('.search-input');
      const openSearch = async (): Promise<number> => {
        await page.keyboard.press('Control+k'); // without effect until the page is hydrated
        return input.count();
      };
      await expect.poll(openSearch, { timeout: 20_000 }).toBe(1);
      await input.fill(words);
      const first = page.locator('.results .result').first();
      await first.waitFor();
      expect(await first.getAttribute('href')).toMatch(/^\/guide\//);
    },
  );
});
