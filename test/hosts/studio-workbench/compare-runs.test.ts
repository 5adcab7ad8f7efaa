import { describe, expect, it } from 'vitest';

import { widths } from '../browser.js';
import { useBrowser } from '../use-browser.js';
import { expectWhole } from './pages.js';
import { startRun, useWorkbench } from './serve-workbench.js';

const page = useWorkbench();
const browser = useBrowser({ suite: 'studio-workbench' });

describe.each(Object.values(widths))('at %i px', (width) => {
  it('compares two runs selected in the list', async () => {
    const [parcels, strict] = [await startRun(page, 'parcels'), await startRun(page, 'strict')];
    const runPage = await browser().open(page(`runs/${parcels}`), { width });
    await runPage.getByRole('button', { name: 'Again' }).click();
    await runPage.getByRole('link', { name: 'Compare with another run' }).click();
    await runPage.getByText('Choose a run to compare with').waitFor();
    await runPage.getByLabel('Agent').selectOption('strict');
    await runPage.locator(`.run-row[href*="${strict}"]`).click();
    await runPage.getByText(/verdicts? differ/).waitFor();
    expect(new URL(runPage.url()).pathname).toBe(`/runs/${parcels}/compare/${strict}`);
    await runPage.locator('del', { hasText: 'ann' }).first().waitFor();
    await runPage.getByText('only in the second run').first().waitFor();
    await expectWhole(browser(), runPage, 'beside');
    await runPage.reload();
    await runPage.getByRole('heading', { name: /^Second: / }).waitFor();
  });
});
