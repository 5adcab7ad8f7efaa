import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

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
const findingsOf = async (shown: Page): Promise<string[]> => {
  await shown.evaluate(axe.source);
  const { violations } = await shown.evaluate<{ violations: Violation[] }>('axe.run(document, { resultTypes: ["violations"] })');
  return violations.filter(({ impact }) => /serious|critical/.test(impact)).map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
};

/** The names in drawings that are painted smaller than 11 pixels. */
const smallNames = (shown: Page): Promise<string[]> =>
  shown.evaluate(`[...document.querySelectorAll('.graph .pg-id, .graph .pg-mark, .graph .state-name, .graph .state-frame span, .graph-track-label')]
    .map((name) => [name.textContent, parseFloat(getComputedStyle(name).fontSize) * name.getBoundingClientRect().height / name.offsetHeight])
    .filter(([, size]) => size < 10.95).map(([name, size]) => name + ' ' + size.toFixed(1))`);

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it.each(Object.values(widths))(
    'no page has a serious finding of axe, and no drawing a name under 11 pixels, at %i px',
    async (width) => {
      const runId = await startRun(page, 'again');
      const thread = ((await (await fetch(page(`api/runs/${runId}`))).json()) as { threadId: string }).threadId;
      const addresses: [path: string, until: string][] = [
        ['', '.examples, .welcome'],
        [`?agent=again&thread=${thread}`, '.turn-foot .badge'],
        ['runs', '.run-row'],
        [`runs/${runId}`, '.waterfall-bar'],
        [`runs/${runId}/compare`, 'select'],
        ['guard-replay', 'select'],
        ['guards', 'table'],
        [`runs/${runId}/edit`, 'textarea'],
        [`runs/${runId}/beside/${runId}`, 'table'],
        ['pipelines', 'tbody tr'],
        ['pipelines/content-moderation', '.pg-step'],
        ['machine', '.state'],
        ['lab', 'textarea'],
        ['no/such/page', '.empty, h1, h2'],
      ];
      const shown = await browser().open(page(''), { width, colorScheme });
      await shown.emulateMedia({ colorScheme, reducedMotion: 'reduce' }); // a colour on its way to another is neither
      const found: Record<string, string[]> = {};
      for (const [path, until] of addresses) {
        await shown.goto(page(path));
        await shown.locator(until).first().waitFor();
        found[path] = [...(await findingsOf(shown)), ...(await smallNames(shown))];
      }
      expect(found).toEqual(Object.fromEntries(addresses.map(([path]) => [path, []])));
    },
  );
});

it('loads at most 150 KB at first, compressed, and asks again only for what has changed', async () => {
  const shown = await browser().open(page(''));
  await shown.locator('.welcome').waitFor();
  const bytes = await shown.evaluate<number>(
    `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce((sum, { transferSize }) => sum + transferSize, 0)`,
  );
  expect(bytes).toBeGreaterThan(20_000);
  expect(bytes).toBeLessThanOrEqual(150_000);
  for (const path of ['', 'api/catalog']) {
    const first = await fetch(page(path));
    const etag = first.headers.get('etag');
    expect(etag).not.toBeNull();
    expect((await fetch(page(path), { headers: { 'if-none-match': etag ?? '' } })).status).toBe(304);
  }
});
