import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';

import { startBrowser, type BrowserOptions, type TestBrowser } from './browser.js';

const fileName = (title: string): string => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/**
 * Chromium for a test file, one for all files: connected before its tests, left after them. Pages are closed after each test. A test fails if its
 * pages had problems ({@link TestBrowser.takeProblems}), and a failed test leaves screenshots of its pages.
 *
 * @example
 * const browser = useBrowser({ suite: 'studio' });
 * it.each(Object.values(widths))('shows the runs at %i px', async (width) => {
 *   const page = await browser().open(url, { width });
 *   await page.getByRole('heading', { name: 'Runs' }).waitFor();
 *   await browser().screenshot(page, 'runs');
 * });
 */
export const useBrowser = (options: BrowserOptions): (() => TestBrowser) => {
  let started: TestBrowser | undefined;
  const browser = (): TestBrowser => {
    if (!started) throw new Error('The browser is there in tests and hooks only.');
    return started;
  };
  beforeAll(async () => {
    started = await startBrowser({ endpoint: inject('chromium'), ...options });
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') {
      const name = `failed-${fileName(task.name)}`;
      await Promise.all(
        browser()
          .pages()
          .map((page, index) => browser().screenshot(page, `${name}-${index}`)),
      );
    }
    await browser().closePages();
    expect(browser().takeProblems()).toEqual([]);
  });
  afterAll(() => started?.close());
  return browser;
};
