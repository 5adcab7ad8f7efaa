import type { StudioEntry } from '../../../playground/protocol/trace-entry.js';
import axe from 'axe-core';
import { describe, expect, it } from 'vitest';

import { isMergeTier } from '../../modes.js';
import { widths } from '../browser.js';
import { useBrowser } from '../use-browser.js';
import { expectVisible } from './expect-visible.js';
import { useStudio } from './serve-studio.js';

const studio = useStudio();
const browser = useBrowser({ suite: 'studio' });

const entriesOf = async (runId: string): Promise<StudioEntry[]> =>
  (await (await fetch(studio.href(`api/runs/${runId}/entries`))).json()) as StudioEntry[];

describe.each(isMergeTier ? [widths.desktop] : Object.values(widths))('a run in detail at %i px', (width) => {
  it('compares the user message with the model input in the chat', async () => {
    const page = await browser().open(studio.href('?agent=desk'), { width });
    await page.getByLabel('Your message').fill('my mail is ada@lantern.example');
    await page.getByRole('button', { name: 'Send' }).click();
    const modelInput = page.locator('.model-input');
    await expectVisible(modelInput.getByText('Model input, edited by mail, domain:'));
    await expectVisible(modelInput.locator('del', { hasText: 'ada@lantern.example' }));
    await expectVisible(modelInput.locator('ins', { hasText: '[mail]' }));
    await browser().screenshot(page, 'model-input');
  });

  it('shows each sent prompt and finds events by text', async () => {
    const page = await browser().open(studio.href(`runs/${await studio.run('desk', 'my mail is ada@lantern.example')}`), {
      width,
    });
    await page.locator('.row-model').first().click();
    const prompts = page.locator('.inspector');
    await expectVisible(prompts.getByText('my mail is [mail]'));
    await expectVisible(prompts.getByText('Help.'));
    expect(await prompts.textContent()).not.toContain('ada@lantern.example');

    await page.getByRole('tab', { name: 'Events' }).click();
    const events = page.getByRole('region', { name: 'Events' });
    await events.getByRole('searchbox', { name: 'Search events' }).fill('merge-conflict');
    await events.getByRole('button', { name: /merge-conflict/ }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).not.toBeNull();
    await events.scrollIntoViewIfNeeded();
    await browser().screenshot(page, 'run-events');
  });

  it('shows the error, cause and stack of a failed guard', async () => {
    const page = await browser().open(studio.href(`runs/${await studio.run('fragile', 'Hello')}`), { width });
    const inspector = page.locator('.inspector');
    await expectVisible(inspector.getByText('Asks the fraud service.'));
    await expectVisible(inspector.getByText('The fraud service did not answer.'));
    await expectVisible(inspector.getByText('Caused by TypeError'));
    await expectVisible(inspector.getByText('connect ECONNREFUSED'));
    await expectVisible(inspector.locator('pre', { hasText: 'serve-studio' }).first());
    await page.evaluate(axe.source);
    expect(
      await page.evaluate(`axe.run({ runOnly: 'scrollable-region-focusable' }).then(({ violations }) => violations.length)`),
    ).toBe(0);
    await inspector.scrollIntoViewIfNeeded();
    await browser().screenshot(page, 'run-cause');
  });

  it('shows the window of a stream guard and the buffered text', async () => {
    const runId = await studio.run('desk', 'slow');
    const receivedEntries = (await entriesOf(runId)).filter((entry) => entry.kind === 'came' && entry.part.chars > 0);
    const page = await browser().open(
      studio.href(`runs/${runId}?at=${receivedEntries[2]?.seq}&phase=outputStream&guard=desk-output/slow-reader`),
      { width },
    );
    await page.locator('.row', { hasText: 'Output stream' }).first().waitFor();
    const graph = page.getByRole('group', { name: 'Graph of desk-output' });
    await graph.getByRole('button', { name: /^slow-reader.*checking, \d+ buffered/ }).click();
    const inspector = page.locator('.inspector');
    await expectVisible(inspector.getByText('each sentence'));
    await expectVisible(inspector.getByText(/^No verdict at this time: checking, \d+ buffered/));
    await inspector.scrollIntoViewIfNeeded();
    await browser().screenshot(page, 'run-judging');
  });

  it('draws the run on a time axis with rows that link to their moment and guard', async () => {
    const page = await browser().open(studio.href(`runs/${await studio.run('support', 'short')}`), { width });
    for (const kind of ['step', 'guard', 'model']) await page.locator(`.row-${kind} .row-bar`).first().waitFor();
    expect(await page.locator('.row-model').count()).toBe(2);
    await page.getByRole('treeitem', { name: /^quality .*retried/ }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.get('guard')).toMatch(/quality$/);
    await expectVisible(
      page
        .locator('.inspector h3')
        .getByText(/quality$/)
        .first(),
    );
    await browser().screenshot(page, 'run-tree');
  });
});

it('plays the received, buffered and released text of a run in step with the page', async () => {
  const page = await browser().open(studio.href(`runs/${await studio.run('desk', 'slow')}`));
  await page.locator('.row-step').first().click();
  await page.getByRole('button', { name: 'Chunk by chunk' }).click();
  const film = page.getByRole('region', { name: 'Stream buffer' });
  const line = async (): Promise<number> => Number(await page.getByRole('slider', { name: 'Timeline position' }).inputValue());
  const end = await line();
  await page.keyboard.press('p');
  await expectVisible(film.getByRole('button', { name: 'Pause' }));
  await expect.poll(line).toBeLessThan(end);
  await expect.poll(() => film.locator('.film-held').first().textContent()).toContain('▒');
  await expectVisible(film.getByRole('button', { name: 'Play' }));
  await film.getByRole('button', { name: 'Show received text' }).click();
  await film.getByRole('slider').fill('3');
  await expect.poll(() => film.locator('.film-words').first().textContent()).toContain('received "');
  await film.scrollIntoViewIfNeeded();
  await browser().screenshot(page, 'run-film');
});
