import type { Page } from 'playwright-core';
import { expect } from 'vitest';

import type { TestBrowser } from '../browser.js';

/** Takes a picture of the whole page, whose main part scrolls, and checks that nothing is cut off at the side. */
export const expectWhole = async (browser: TestBrowser, page: Page, name: string): Promise<void> => {
  expect(await page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBe(0); // its main part scrolls, not the page
  const style = await page.addStyleTag({ content: '.app { height: auto !important; min-height: 100vh; }' });
  await browser.screenshot(page, name, { fullPage: true });
  const main = page.locator('#main');
  expect(await main.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await style.evaluate((element: unknown) => (element as { remove(): void }).remove()); // an element of the page, without types here
};
