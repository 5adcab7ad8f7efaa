import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

import { isMergeTier } from '../../modes.js';
import { widths } from '../browser.js';
import { useBrowser } from '../use-browser.js';
import { startRun, useWorkbench } from './serve-workbench.js';

const page = useWorkbench();
const browser = useBrowser({ suite: 'studio-workbench' });

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Serious and critical findings, each with the first element that has it. */
const findingsOf = async (opened: Page): Promise<string[]> => {
  await opened.evaluate(axe.source);
  const { violations } = await opened.evaluate<{ violations: Violation[] }>('axe.run(document, { resultTypes: ["violations"] })');
  return violations.filter(({ impact }) => /serious|critical/.test(impact)).map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
};

/** The names in drawings that are painted smaller than 11 pixels. */
const smallNames = (opened: Page): Promise<string[]> =>
  opened.evaluate(`[...document.querySelectorAll('.pg-id, .pg-mark, .state-name, .state-frame span, .pg-condition')]
    .map((name) => [name.textContent, parseFloat(getComputedStyle(name).fontSize) * name.getBoundingClientRect().height / name.offsetHeight])
    .filter(([, size]) => size < 10.95).map(([name, size]) => name + ' ' + size.toFixed(1))`);

/** A desktop, a tablet, a phone. */
const sizes = [1440, 834, widths.phone] as const;
const themes = ['light', 'dark'] as const;

let runId = '';
let thread = '';
beforeAll(async () => {
  runId = await startRun(page, 'again');
  thread = ((await (await fetch(page(`api/runs/${runId}`))).json()) as { threadId: string }).threadId;
});

interface PageUnderTest {
  readonly name: string;
  readonly path: () => string;
  readonly until: string;
  /** Opens something on the page. */
  readonly prepare?: (opened: Page) => Promise<unknown>;
}

const pages: readonly PageUnderTest[] = [
  { name: 'the empty chat', path: () => '', until: '.examples, .welcome' },
  { name: 'a conversation', path: () => `?agent=again&thread=${thread}`, until: '.turn-foot .badge' },
  { name: 'the list of runs', path: () => 'runs', until: '.run-row' },
  {
    name: 'a run with its export open',
    path: () => `runs/${runId}`,
    until: '.row-bar',
    prepare: (opened) => opened.getByText('Export', { exact: true }).click(),
  },
  { name: 'the replay of a run', path: () => `runs/${runId}/compare`, until: 'select' },
  { name: 'the replay of a guard', path: () => 'guard-replay', until: 'select' },
  { name: 'the guard totals', path: () => 'guards', until: 'table' },
  { name: 'the edit of a run', path: () => `runs/${runId}/edit`, until: 'textarea' },
  { name: 'a comparison of two runs', path: () => `runs/${runId}/compare/${runId}`, until: 'table' },
  { name: 'the list of pipelines', path: () => 'pipelines', until: 'tbody tr' },
  { name: 'a pipeline', path: () => 'pipelines/content-moderation', until: '.pg-step' },
  { name: 'the statechart', path: () => 'machine', until: '.state' },
  { name: 'the chunk lab', path: () => 'lab', until: 'textarea' },
  { name: 'an unknown page', path: () => 'no/such/page', until: '.empty, h1, h2' },
  {
    name: 'the go-to dialog',
    path: () => 'runs',
    until: '.run-row',
    prepare: async (opened) => {
      await opened.keyboard.press('Control+k');
      await opened.getByRole('dialog').getByRole('option').first().waitFor();
    },
  },
];

describe.each(pages.map((one, at) => ({ ...one, at })))('$name', ({ path, until, prepare, at }) => {
  /** All of a list; in the merge tier one of it, another one for each page. */
  const ofTier = <Value>(all: readonly Value[]): readonly Value[] =>
    isMergeTier ? all.filter((_, index) => index === at % all.length) : all;

  it('has no serious axe finding and no name under 11 pixels in a diagram, at three sizes in both themes', async () => {
    const found: Record<string, string[]> = {};
    const check = async (colorScheme: (typeof themes)[number]) => {
      const opened = await browser().open(page(path()), { width: sizes[0], colorScheme });
      await opened.emulateMedia({ colorScheme, reducedMotion: 'reduce' }); // a color in transition is neither
      await opened.locator(until).first().waitFor();
      await prepare?.(opened);
      for (const width of ofTier(sizes)) {
        await opened.setViewportSize({ width, height: 900 });
        await opened.waitForTimeout(200); // drawings are fitted again
        found[`${colorScheme} ${width}`] = [...(await findingsOf(opened)), ...(await smallNames(opened))];
      }
      await opened.close();
    };
    await Promise.all(ofTier(themes).map(check));
    expect(Object.entries(found).filter(([, findings]) => findings.length > 0)).toEqual([]);
  });
});

it.each([
  ['', '.welcome'],
  ['runs', '.run-row'],
])('loads at most 130 KB of compressed files first, at /%s, and revalidates unchanged ones', async (start, until) => {
  const opened = await browser().open(page(start));
  await opened.locator(until).first().waitFor();
  const bytes = await opened.evaluate<number>(
    `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce((sum, { transferSize }) => sum + transferSize, 0)`,
  );
  expect(bytes).toBeGreaterThan(20_000);
  expect(bytes).toBeLessThanOrEqual(130_000);
  for (const path of ['', 'api/catalog']) {
    const first = await fetch(page(path));
    const etag = first.headers.get('etag');
    expect(etag).not.toBeNull();
    expect((await fetch(page(path), { headers: { 'if-none-match': etag ?? '' } })).status).toBe(304);
  }
});
