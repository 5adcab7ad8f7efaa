import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

/** Waits until an element is visible on the page. */
export const expectVisible = async (locator: Locator): Promise<void> => {
  await locator.waitFor();
  expect(await locator.count()).toBe(1);
};
