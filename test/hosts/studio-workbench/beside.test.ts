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
    const shown = await browser().open(page(`runs/${parcels}`), { width });
    await shown.getByRole('link', { name: 'Compare with another run' }).click();
    await shown.getByText('Choose a run to compare with').waitFor();
    await shown.getByLabel('Agent').selectOption('strict');
    await shown.locator(`.run-row[href*="${strict}"]`).click();
    await shown.getByText(/verdicts? differ/).waitFor();
    expect(new URL(shown.url()).pathname).toBe(`/runs/${parcels}/beside/${strict}`);
    await shown.locator('del', { hasText: 'ann' }).first().waitFor();
    await shown.getByText('only in the second run').first().waitFor();
    await expectWhole(browser(), shown, 'beside');
    await shown.reload();
    await shown.getByRole('heading', { name: 'Second run' }).waitFor();
  });
});
