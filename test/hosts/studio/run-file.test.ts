import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';

import { widths } from '../browser.js';
import { useBrowser } from '../use-browser.js';
import { expectVisible } from './expect-visible.js';
import { useStudio } from './serve-studio.js';

const studio = useStudio();
const browser = useBrowser({ suite: 'studio' });
const folder = mkdtempSync(join(tmpdir(), 'run-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const mail = 'ada@lantern.example';

const save = async (runId: string, hasAllWords: boolean): Promise<string> => {
  const page = await browser().open(studio.href(`runs/${runId}`));
  await page.getByText('Export', { exact: true }).click();
  if (hasAllWords) await page.getByLabel('Include text that was not emitted').check();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as one HTML file' }).click(),
  ]);
  const path = join(folder, `${hasAllWords ? 'all' : 'seen'}-${download.suggestedFilename()}`);
  await download.saveAs(path);
  await page.close();
  return path;
};

const expectRun = async (page: Page, edited: string): Promise<void> => {
  await expectVisible(page.getByText('A run, exported on'));
  await expectVisible(page.locator('.run-facts').getByText('success'));
  await page.getByRole('treeitem', { name: /^mail Input/ }).click();
  await expectVisible(page.locator('.inspector').getByText(edited).first());
  await expectVisible(page.getByRole('slider', { name: 'Timeline position' }));
};

it('opens from disk as one file and shows the same run as the page', async () => {
  const runId = await studio.run('desk', `my mail is ${mail}`);
  const all = await browser().open(pathToFileURL(await save(runId, true)).href);
  await expectRun(all, '[mail]');
  expect(await all.locator('main').textContent()).toContain(mail);
  await browser().screenshot(all, 'run-file');

  const seen = await browser().open(pathToFileURL(await save(runId, false)).href, { width: widths.phone, colorScheme: 'dark' });
  await expectRun(seen, '▒▒▒▒▒▒');
  expect(await seen.content()).not.toContain(mail);
  await browser().screenshot(seen, 'run-file');
});

it('is imported on the page of runs', async () => {
  const path = await save(await studio.run('support', 'short'), true);
  const page = await browser().open(studio.href('runs'));
  await page.getByLabel('Run file').setInputFiles(path);
  await expectVisible(page.getByRole('heading', { name: 'short' }));
});
