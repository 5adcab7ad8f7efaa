import type { Page } from 'playwright-core';
import type { StudioEntry } from '../../../playground/protocol/trace-entry.js';
import { describe, expect, it } from 'vitest';

import { widths } from '../browser.js';
import { useBrowser } from '../use-browser.js';
import { expectVisible } from './expect-visible.js';
import { hostile, longDeltas, useStudio } from './serve-studio.js';

const studio = useStudio();
const browser = useBrowser({ suite: 'studio' });

const openRun = async (runId: string, width: number, query = ''): Promise<Page> => {
  const page = await browser().open(studio.href(`runs/${runId}${query}`), { width });
  await expectVisible(page.getByRole('slider', { name: 'Timeline position' }));
  return page;
};

const slider = (page: Page) => page.getByRole('slider', { name: 'Timeline position' });
const lineNow = async (page: Page): Promise<number> => Number(await slider(page).getAttribute('aria-valuenow'));
const state = (page: Page) => page.getByRole('group', { name: 'Loop statechart' }).locator('[aria-current="step"]');

/** The drawn pipeline. */
const guards = (page: Page) => page.getByRole('group', { name: /^Graph of/ });

const noSideways = async (page: Page): Promise<void> => {
  const hangsOver = await page
    .locator('.run-scroll')
    .evaluate(({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) => scrollWidth - clientWidth);
  expect(hangsOver).toBe(0);
};

describe.each(Object.values(widths))('a run at %i px', (width) => {
  it('shows the states, attempts, verdicts and edits of guards', async () => {
    const page = await openRun(await studio.run('desk', 'write to ada@lantern.example'), width);
    await expectVisible(state(page).getByText('success'));
    await page.getByRole('tab', { name: 'Input', exact: true }).click();
    const graph = page.getByRole('group', { name: 'Graph of desk-input' });
    await graph.getByRole('button', { name: /^mail.*edit/ }).click();
    const inspector = page.locator('.inspector');
    await expectVisible(inspector.getByText('desk-input/parallel.0/mail'));
    await expectVisible(inspector.locator('del', { hasText: 'ada@lantern.example' }));
    await expectVisible(inspector.locator('ins', { hasText: '[mail]' }));
    await expectVisible(graph.getByRole('button', { name: /shadow-injection.*would pass/ }));
    await graph.getByRole('button', { name: /away.*bypassed/ }).click();
    await expectVisible(inspector.getByText('the payload passed unchanged, as set by the guard’s policy'));
    await noSideways(page);
    await browser().screenshot(page, 'run-guards');
  });

  it('shows attempts as lanes with their outcome and text', async () => {
    const page = await openRun(await studio.run('support', 'short'), width);
    const lanes = page.locator('.lane');
    await expectVisible(lanes.first().getByText('retried'));
    await expectVisible(lanes.nth(1).getByText('accepted'));
    expect(await lanes.first().locator('del').textContent()).toBe('ok.');
    await noSideways(page);
    await lanes.first().scrollIntoViewIfNeeded();
    await browser().screenshot(page, 'run-lanes');
  });

  it('follows the timeline position: steps, jumps and the URL', async () => {
    const page = await openRun(await studio.run('support', 'short'), width);
    await expectVisible(state(page).getByText('success'));
    await expectVisible(guards(page).getByRole('button', { name: /^quality.*retry/ })); // explains the end better than the last pass
    const last = await lineNow(page);
    await page.keyboard.press('ArrowLeft');
    expect(await lineNow(page)).toBe(last - 1);
    await slider(page).focus();
    await page.keyboard.press('Home');
    expect(await lineNow(page)).toBe(0);
    await expectVisible(page.getByText('No guard calls'));
    await expectVisible(page.locator('.run-facts').getByText('success')); // the final status, at each point in time
    expect(await page.locator('.badge-turning').count()).toBe(0);
    await page.keyboard.press('r');
    const jumped = await lineNow(page);
    await expectVisible(guards(page).getByRole('button', { name: /^quality.*retry/ }));
    await page.waitForURL(new RegExp(`at=${jumped}`));
    await browser().screenshot(page, 'run-at-retry');
    await page.reload();
    await expectVisible(slider(page));
    expect(await lineNow(page)).toBe(jumped);
    expect(await page.locator('.lane').count()).toBe(1);
    await page.getByRole('button', { name: 'Go to end and follow' }).click();
    await expectVisible(page.locator('.lane').nth(1));
  });

  it('is scrubbed with the pointer', async () => {
    const page = await openRun(await studio.run('support', 'leak'), width);
    const box = await slider(page).boundingBox();
    if (!box) throw new Error('the slider is not in sight');
    const last = await lineNow(page);
    await page.mouse.move(box.x + box.width - 10, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    const middle = await lineNow(page);
    expect(middle).toBeGreaterThan(last * 0.4);
    expect(middle).toBeLessThan(last * 0.6);
    await page.keyboard.press('t');
    await expectVisible(guards(page).getByRole('button', { name: /^leak.*trip/ }));
    await browser().screenshot(page, 'run-at-trip');
  });

  it('shows hostile markup as text', async () => {
    const page = await openRun(await studio.run('support', `${hostile} hostile`), width);
    await expectVisible(page.getByText('U+202E').first());
    expect(await page.title()).not.toBe('owned');
    expect(await page.locator('.run img, .run script, .run a[href^="javascript"]').count()).toBe(0);
    await noSideways(page);
    await browser().screenshot(page, 'run-hostile');
  });
});

it('summarizes guard effects, links to each moment and back to the conversation', async () => {
  const page = await openRun(await studio.run('support', 'short'), widths.desktop);
  const glance = page.getByRole('region', { name: 'Guard effects' });
  await glance.getByRole('button', { name: /quality.*retry/ }).click();
  await expectVisible(guards(page).getByRole('button', { name: /^quality.*retry/ }));
  await expectVisible(
    page
      .locator('.inspector h3')
      .getByText(/quality$/)
      .first(),
  );
  await expect.poll(() => new URL(page.url()).searchParams.get('guard')).toMatch(/quality$/);
  await expectVisible(page.locator('.run-facts').getByText('success'));
  await page.reload();
  await expectVisible(
    page
      .locator('.inspector h3')
      .getByText(/quality$/)
      .first(),
  );
  await page.getByRole('link', { name: 'Conversation' }).click();
  await expectVisible(page.locator('.user-text').getByText('short'));
  await expect.poll(() => new URL(page.url()).searchParams.get('agent')).toBe('support');
});

it('follows a running run and shows buffered text and its release', async () => {
  const page = await openRun(await studio.start('desk', 'crawl'), widths.desktop);
  await expectVisible(page.locator('.run-facts').getByText('running'));
  await expectVisible(page.getByText(/characters buffered/));
  await expectVisible(page.locator('.run-facts').getByText('success'));
  const chart = page.getByRole('img', { name: /^text: at most \d+ characters buffered/ });
  await chart.scrollIntoViewIfNeeded();
  expect(Number(/at most (\d+)/.exec((await chart.getAttribute('aria-label')) ?? '')?.[1])).toBeGreaterThan(10);
  await browser().screenshot(page, 'run-hold-back');
});

it('shows unreleased text only on request', async () => {
  const page = await openRun(await studio.run('support', 'leak'), widths.desktop);
  await expectVisible(page.getByRole('button', { name: 'Show model output' }));
  expect(await page.locator('.run').textContent()).not.toContain('field@exam');
  await page.getByRole('button', { name: 'Show model output' }).click();
  await expectVisible(page.locator('.revealed', { hasText: 'field@exam' }));
});

it('shows unreleased text only up to the timeline position, and the outcome in one sentence', async () => {
  const runId = await studio.run('support', 'leak');
  const entries = (await (await fetch(studio.href(`api/runs/${runId}/entries`))).json()) as StudioEntry[];
  const first = entries.find(({ kind, ...entry }) => kind === 'came' && 'part' in entry && entry.part.chars > 0);
  const page = await openRun(runId, widths.desktop, `?at=${first?.seq}`);
  await page.getByRole('button', { name: 'Show model output' }).click();
  await expectVisible(page.locator('.revealed', { hasText: 'You can write to' }));
  expect(await page.locator('.revealed').textContent()).not.toContain('whit');
  await expectVisible(page.getByText(/^Blocked at Output stream by/));
  await page.locator('.run-story').getByRole('button', { name: 'leak' }).click();
  await expectVisible(page.locator('.inspector').getByText('support-output/leak'));
});

it('stays responsive with more than ten thousand entries', async () => {
  const page = await openRun(await studio.run('support', 'long'), widths.desktop);
  await expectVisible(state(page).getByText('success'));
  const lines = await lineNow(page);
  expect(lines).toBeGreaterThan(longDeltas);
  const box = await slider(page).boundingBox();
  if (!box) throw new Error('the slider is not in sight');
  await page.mouse.move(box.x + box.width - 10, box.y + box.height / 2);
  await page.mouse.down();
  for (let step = 1; step <= 40; step += 1) await page.mouse.move(box.x + box.width * (1 - step / 41), box.y + box.height / 2);
  await page.mouse.up();
  expect(await lineNow(page)).toBeLessThan(lines * 0.05);
  await page.keyboard.press('End');
  await expectVisible(state(page).getByText('success'));
});

it('reports an unknown run', async () => {
  const page = await browser().open(studio.href('runs/no-such-run'));
  await expectVisible(page.getByRole('alert').getByText('studio/not-found').first());
  browser().takeProblems(); // the browser logs the 404 to its console
});
