import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

import { widths } from '../browser.js';
import { useBrowser } from '../use-browser.js';
import { expectWhole } from './pages.js';
import { startRun as runOf, useWorkbench } from './serve-workbench.js';

const page = useWorkbench();
const browser = useBrowser({ suite: 'studio-workbench' });

const startRun = (agentId: string): Promise<string> => runOf(page, agentId);

describe.each(Object.values(widths))('at %i px', (width) => {
  it('replays a run through other guards and lists differing verdicts first', async () => {
    const runId = await startRun('parcels');
    const runPage = await browser().open(page(`runs/${runId}/compare`), { width });
    await runPage.getByLabel('output guards').selectOption('strict-output');
    await runPage.getByRole('button', { name: 'Replay' }).click();
    await runPage.getByText(/verdicts? differ/).waitFor();
    await runPage.locator('del', { hasText: 'ann' }).first().waitFor();
    const rows = await runPage.getByRole('table').getByRole('row').allTextContents();
    const guards = rows.filter((row) => /recording|replay|→|unchanged/.test(row));
    const firstSame = guards.findIndex((row) => row.includes('unchanged'));
    expect(guards[0]).toContain('only in the replay');
    expect(firstSame).toBeGreaterThan(0);
    expect(guards.slice(firstSame).every((row) => row.includes('unchanged'))).toBe(true);
    await expectWhole(browser(), runPage, 'compare');
  });
});

it('reports no difference for the same guards', async () => {
  const runId = await startRun('strict');
  const runPage = await browser().open(page(`runs/${runId}/compare`));
  await runPage.getByRole('button', { name: 'Replay' }).click();
  await runPage.getByText('All verdicts match; status success in both.').waitFor();
  expect(await runPage.getByText('The replay ended early').count()).toBe(0);
});

it('reports the early end of a replay', async () => {
  const runId = await startRun('strict');
  const runPage = await browser().open(page(`runs/${runId}/compare`));
  await runPage.getByLabel('output guards').selectOption('again-output');
  await runPage.getByRole('button', { name: 'Replay' }).click();
  await runPage.getByText('The replay ended early').waitFor();
  await expectWhole(browser(), runPage, 'compare-ended');
});

it('offers no replay for a run of a Mastra agent', async () => {
  const runId = await startRun('stock');
  const runPage = await browser().open(page(`runs/${runId}`));
  await runPage.locator('.run-facts').getByText('success').waitFor();
  await runPage.getByText(/runs in Mastra’s own loop/).waitFor();
  expect(await runPage.getByRole('link', { name: 'Replay with other pipelines' }).count()).toBe(0);
  await runPage.goto(page(`runs/${runId}/compare`));
  await runPage.getByText('No trace to replay').waitFor();
  expect(await runPage.getByRole('button', { name: 'Replay' }).count()).toBe(0);
});

it('opens from the run, which can be exported as a test and as a trace', async () => {
  const runId = await startRun('strict');
  const runPage = await browser().open(page(`runs/${runId}`));
  await runPage.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await runPage.getByText('Export', { exact: true }).click();
  await runPage.getByRole('button', { name: 'Copy as a test' }).click();
  await runPage.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await runPage.evaluate('navigator.clipboard.readText()')).toContain("from 'vitest'");
  const [file] = await Promise.all([
    runPage.waitForEvent('download'),
    runPage.getByRole('button', { name: 'Download trace' }).click(),
  ]);
  const lines = (await text(await file.createReadStream())).trim().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ kind: 'header', runId });
  await runPage.getByRole('button', { name: 'Again' }).click();
  await runPage.getByRole('link', { name: 'Replay with other pipelines' }).click();
  await runPage.getByRole('heading', { name: 'Replay and compare' }).waitFor();
  await expect.poll(() => new URL(runPage.url()).pathname).toBe(`/runs/${runId}/compare`);
});
