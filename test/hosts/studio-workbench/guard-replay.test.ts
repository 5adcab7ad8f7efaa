import { describe, expect, it } from 'vitest';

import { widths } from '../browser.js';
import { useBrowser } from '../use-browser.js';
import { expectWhole } from './pages.js';
import { startRun, useWorkbench } from './serve-workbench.js';

const page = useWorkbench();
const browser = useBrowser({ suite: 'studio-workbench' });

describe.each(Object.values(widths))('at %i px', (width) => {
  it('replays a guard over recorded runs and opens the run of a changed verdict', async () => {
    const runs = [await startRun(page, 'strict'), await startRun(page, 'strict')];
    const runsPage = await browser().open(page('runs?agent=strict'), { width });
    await runsPage.getByRole('link', { name: 'Replay a guard' }).click();
    await runsPage.getByRole('combobox', { name: 'Guard', exact: true }).selectOption('blockedTermsGuard');
    await runsPage.getByLabel(/^Terms/).fill('arrive');
    expect(await runsPage.getByLabel('Agent').inputValue()).toBe('strict');
    await runsPage.getByRole('button', { name: 'Replay', exact: true }).click();
    await runsPage
      .getByText(/Verdicts changed in \d+ of \d+ runs\. \d+ runs would have ended with a different status\./)
      .waitFor();
    await expectWhole(browser(), runsPage, 'guard-replay');
    await runsPage.reload();
    expect(await runsPage.getByLabel(/^Terms/).inputValue()).toBe('arrive');
    await runsPage.getByRole('button', { name: 'Replay', exact: true }).click();
    const row = runsPage.getByRole('row').filter({ hasText: 'blocked-terms' }).first();
    await row.getByText('blocked').first().waitFor();
    await row.getByRole('link').click();
    await expect.poll(() => runs.some((runId) => new URL(runsPage.url()).pathname === `/runs/${runId}`)).toBe(true);
  });
});

it('shows option errors, and no change for the unchanged guard', async () => {
  await startRun(page, 'strict');
  const runsPage = await browser().open(page('guard-replay?agent=strict&guard=lengthGuard'));
  const replay = runsPage.getByRole('button', { name: 'Replay', exact: true });
  await runsPage.getByLabel('Max chars').fill('-3');
  await replay.click();
  await runsPage.getByText('guard/invalid-option').first().waitFor();
  await runsPage.getByRole('combobox', { name: 'Guard', exact: true }).selectOption('strict-output/pii');
  await replay.click();
  await runsPage.getByText(/No verdict changed in \d+ runs?\./).waitFor();
  expect(await runsPage.getByRole('table').count()).toBe(0);
  expect(
    browser()
      .takeProblems()
      .filter((problem) => !problem.includes('400 (Bad Request)')),
  ).toEqual([]); // the rejections
});
