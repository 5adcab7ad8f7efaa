import { describe, expect, it } from 'vitest';

import { widths } from '../browser.js';
import { useBrowser } from '../use-browser.js';
import { expectVisible } from './expect-visible.js';
import { useStudio } from './serve-studio.js';

const studio = useStudio();
const browser = useBrowser({ suite: 'studio' });

describe.each(Object.values(widths))('the go-to dialog at %i px', (width) => {
  it('opens a page, a guard, a run and a state of the run by keyboard', async () => {
    const runId = await studio.run('support', 'a phrase of one run');
    const page = await browser().open(studio.href(''), { width });
    await page.getByLabel('Your message').waitFor();
    const goTo = async (text: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.locator('.go-to input:focus').waitFor();
      await page.keyboard.type(text);
      await expect.poll(() => page.locator('[role="option"]').count()).toBeGreaterThan(0);
      await expect
        .poll(() => page.locator('[role="option"][aria-selected="true"]').textContent())
        .toContain(text.split(' ').at(-1));
      await page.keyboard.press('Enter');
      expect(await page.getByRole('dialog').count()).toBe(0);
    };
    await goTo('page Runs');
    await expectVisible(page.getByRole('heading', { name: 'Runs', exact: true }));
    await goTo('guard desk-output slow-reader');
    await expectVisible(page.getByRole('button', { name: /^slow-reader/, pressed: true }));
    await goTo('phrase of one run');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/runs/${runId}`);
    await page.locator('.pills [aria-current="step"]').waitFor();
    await goTo('state calling');
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).not.toBeNull();
    await page.keyboard.press('Control+k');
    await browser().screenshot(page, 'go-to');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});
