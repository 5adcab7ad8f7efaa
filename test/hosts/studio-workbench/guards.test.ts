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
    const shown = await browser().open(page('runs?agent=strict'), { width });
    await shown.locator('.run-row').first().waitFor();
    if (width === widths.desktop) await shown.locator('.run-row-guards').getByText('pii: edit').first().waitFor();
    await shown.getByLabel('Filter name').fill('Strict ones');
    await shown.getByRole('button', { name: 'Save filter' }).click();
    await browser().screenshot(shown, 'saved-filter');
    await shown.getByRole('button', { name: 'Clear filters' }).click();
    await shown.getByRole('link', { name: 'Strict ones' }).click();
    expect(await shown.getByLabel('Agent').inputValue()).toBe('strict');
    await shown.getByRole('link', { name: 'Guard statistics' }).click();
    const row = shown.getByRole('row').filter({ hasText: 'pii' });
    await row.getByRole('cell').first().waitFor();
    expect(await row.getByRole('cell').allTextContents()).toContainEqual(expect.stringMatching(/\d m?s$/));
    await expectWhole(browser(), shown, 'guards');
    await row.getByRole('link', { name: 'pii' }).click();
    await expect.poll(() => new URL(shown.url()).search).toBe('?agent=strict&guard=pii');
    await shown.getByRole('button', { name: 'Delete filter Strict ones' }).click();
    await expect.poll(() => shown.getByRole('link', { name: 'Strict ones' }).count()).toBe(0);
  });
});
