import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { chromium, type LaunchOptions, type Page } from 'playwright-core';

/** The two widths that pages must be usable at, in pixels. */
export const widths = { desktop: 1280, phone: 390 } as const;

const heights: Record<number, number> = { [widths.desktop]: 800, [widths.phone]: 844 };

/** The path of distributions; the environment can override it. */
const chromiumPaths = [
  ...(process.env.CHROMIUM_PATH ? [process.env.CHROMIUM_PATH] : []),
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The folder of screenshots, one subfolder per suite; git ignores it. */
const screenshots = join(import.meta.dirname, '../../test-output/hosts');

export interface BrowserOptions {
  /** The folder of the screenshots, below `test-output/hosts`. */
  readonly suite: string;
  /** Known problems of foreign pages: matching ones are not recorded. */
  readonly tolerated?: readonly RegExp[];
  /** The address of a running Chromium. Default: another one is started. */
  readonly endpoint?: string | undefined;
}

export interface OpenOptions {
  /** In pixels; default {@link widths}`.desktop`. */
  readonly width?: number;
  /** Default `light`. */
  readonly colorScheme?: 'light' | 'dark';
}

/** Chromium for the tests of one file. */
export interface TestBrowser {
  /** A new page in a new context (no cookies, no storage), at `url`. Playwright's waits end after 30 s. */
  readonly open: (url: string, options?: OpenOptions) => Promise<Page>;
  /** Writes `test-output/hosts/SUITE/NAME-WIDTH.png`, of the visible part or of the whole page, and returns its path. */
  readonly screenshot: (page: Page, name: string, options?: { readonly fullPage?: boolean }) => Promise<string>;
  /** The pages' problems since the last call: console errors, uncaught errors, requests to other hosts. */
  readonly takeProblems: () => string[];
  /** The open pages. */
  readonly pages: () => Page[];
  readonly closePages: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const isLoopback = (url: URL): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);

/** A page may contact only this machine: other requests are rejected and recorded. */
const keepInside = (page: Page, note: (problem: string) => void) =>
  page.route(
    (url) => url.protocol.startsWith('http') && !isLoopback(url),
    (route) => {
      note(`request to another host: ${route.request().url()}`);
      return route.abort();
    },
  );

/** How to start Chromium. Throws if there is none. */
export const launchOptions = (): LaunchOptions => {
  const executablePath = chromiumPaths.find((path) => existsSync(path));
  if (executablePath === undefined) {
    const looked = chromiumPaths.join(', ');
    throw new Error(`There is no Chromium at ${looked}. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.`);
  }
  return { executablePath, args: quiet };
};

/** Starts Chromium, or connects to a running one. In a test file {@link useBrowser} does it, and fails the tests whose pages had problems. */
export const startBrowser = async ({ suite, tolerated = [], endpoint }: BrowserOptions): Promise<TestBrowser> => {
  const browser = await (endpoint ? chromium.connect(endpoint) : chromium.launch(launchOptions()));
  const folder = join(screenshots, suite);
  mkdirSync(folder, { recursive: true });
  let problems: string[] = [];
  const note = (problem: string) => {
    if (!tolerated.some((pattern) => pattern.test(problem))) problems.push(problem);
  };

  const open = async (url: string, { width = widths.desktop, colorScheme = 'light' }: OpenOptions = {}) => {
    const context = await browser.newContext({ viewport: { width, height: heights[width] ?? 800 }, colorScheme });
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') note(`console error: ${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => note(`uncaught: ${error.message}`));
    await keepInside(page, note);
    await page.goto(url);
    return page;
  };

  const contexts = () => browser.contexts();
  return {
    open,
    screenshot: async (page, name, { fullPage = false } = {}) => {
      const path = join(folder, `${name}-${page.viewportSize()?.width ?? 0}.png`);
      await page.screenshot({ path, fullPage });
      return path;
    },
    takeProblems: () => {
      const taken = problems;
      problems = [];
      return taken;
    },
    pages: () => contexts().flatMap((context) => context.pages()),
    closePages: async () => {
      await Promise.all(contexts().map((context) => context.close()));
    },
    close: () => browser.close(),
  };
};
