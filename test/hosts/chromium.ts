import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';

import { launchOptions } from './browser.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of Chromium; without one, tests with a browser fail with the reason. */
    chromium: string | undefined;
  }
}

/** Starts Chromium once for all test files. */
export const setup = async ({ provide }: TestProject) => {
  let options;
  try {
    options = launchOptions();
  } catch {
    return undefined; // tests without a browser can run
  }
  const server = await chromium.launchServer(options);
  provide('chromium', server.wsEndpoint());
  return () => server.close();
};
