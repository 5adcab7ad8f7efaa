import { describe, expect, it } from 'vitest';

import { widths } from '../browser.js';
import { useBrowser } from '../use-browser.js';
import { expectWhole } from './pages.js';
import { startRun, useWorkbench } from './serve-workbench.js';

const page = useWorkbench();
const browser = useBrowser({ suite: 'studio-workbench' });

describe.each(Object.values(widths))('at %i px', (width) => {
  it('shows verdict counts and durations of guards and saves a named filter', async () => {
    await startRun(page, 'strict');
    const runsPage = await browser().open(page('runs?agent=strict'), { width });
    await runsPage.locator('.run-row').first().waitFor();
    if (width === widths.desktop) await runsPage.locator('.run-row-guards').getByText('pii: edited').first().waitFor();
    await runsPage.getByLabel('Filter name').fill('Strict ones');
    await runsPage.getByRole('button', { name: 'Save filter' }).click();
    await browser().screenshot(runsPage, 'saved-filter');
    await runsPage.getByRole('button', { name: 'Clear filters' }).click();
    await runsPage.getByRole('link', { name: 'Strict ones' }).click();
    expect(await runsPage.getByLabel('Agent').inputValue()).toBe('strict');
    await runsPage.getByRole('link', { name: 'Guard statistics' }).click();
    const row = runsPage.getByRole('row').filter({ hasText: 'pii' });
    await row.getByRole('cell').first().waitFor();
    expect(await row.getByRole('cell').allTextContents()).toContainEqual(expect.stringMatching(/\d m?s$/));
    await expectWhole(browser(), runsPage, 'guards');
    await row.getByRole('link', { name: 'pii' }).click();
    await expect.poll(() => new URL(runsPage.url()).search).toBe('?agent=strict&guard=pii');
    await runsPage.getByRole('button', { name: 'Delete filter Strict ones' }).click();
    await expect.poll(() => runsPage.getByRole('link', { name: 'Strict ones' }).count()).toBe(0);
  });
});
