import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { widths } from '../browser.js';
import { useBrowser } from '../use-browser.js';
import { expectWhole } from './pages.js';
import { answer, useWorkbench } from './serve-workbench.js';

const page = useWorkbench();
const browser = useBrowser({ suite: 'studio-workbench' });

const mail = 'ann.lee@example.org';

const openLab = (query: Record<string, string>, width: number = widths.desktop): Promise<Page> =>
  browser().open(page(`lab?${new URLSearchParams({ pipeline: 'strict-output', text: answer, ...query }).toString()}`), { width });

const run = async (labPage: Page): Promise<void> => {
  await labPage.getByRole('button', { name: 'Run stream' }).click();
  await labPage.getByRole('slider', { name: 'Stream position' }).waitFor();
};

/** The current text, by its state. */
const words = async (labPage: Page, look: string): Promise<string> =>
  (await labPage.locator(`.film-text .${look} .inert`).allTextContents()).join('');

const frames = (labPage: Page): Promise<string | null> => labPage.getByRole('slider').getAttribute('max');

describe.each(Object.values(widths))('at %i px', (width) => {
  it('shows released, buffered and pending text at each chunk', async () => {
    const labPage = await openLab({ cut: 'characters' }, width);
    await run(labPage);
    expect(await words(labPage, 'film-released')).not.toContain('@');
    expect(await words(labPage, 'film-coming')).toBe('');
    await labPage.keyboard.press('Home');
    expect(await words(labPage, 'film-coming')).toBe(answer);
    const until = answer.indexOf('@') + 1;
    for (let step = 0; step < until; step += 1) await labPage.keyboard.press('ArrowRight');
    expect(await words(labPage, 'film-held')).toContain('ann.lee@');
    expect(await words(labPage, 'film-coming')).toBe(answer.slice(until));
    await expectWhole(browser(), labPage, 'lab-held');
    await labPage.keyboard.press('n');
    await labPage.keyboard.press('ArrowLeft');
    expect(await words(labPage, 'film-held')).not.toBe('');
  });

  it('finds a split that leaks and loads it into the lab', async () => {
    const labPage = await openLab({ pipeline: 'leaky-output' }, width);
    await labPage.getByLabel('Secret text').fill(mail);
    await labPage.getByRole('button', { name: 'Search' }).click();
    const load = labPage.getByRole('button', { name: 'Load this split into the lab' });
    await load.waitFor();
    await expectWhole(browser(), labPage, 'lab-leak');
    await load.click();
    await labPage.getByRole('slider').waitFor();
    expect(await words(labPage, 'film-released')).toContain('ann.');
    await expect.poll(() => new URL(labPage.url()).searchParams.get('cut')).toBe('by-hand');
  });
});

it('finds no leak through a guard with a window', async () => {
  const labPage = await openLab({});
  await labPage.getByLabel('Secret text').fill(mail);
  await labPage.getByLabel('Random splits').fill('10');
  await labPage.getByRole('button', { name: 'Search' }).click();
  await labPage
    .getByText(/No leak in [\d,]+ splits: two chunks at every position, single characters, and \d+ random splits/)
    .waitFor({ timeout: 45_000 });
  expect(await labPage.getByRole('button', { name: /Load/ }).count()).toBe(0);
});

it('splits by hand: each line is a chunk', async () => {
  const labPage = await openLab({ cut: 'by-hand' });
  const lines = labPage.getByLabel(/one line for each chunk/);
  const cutsInLink = () => new URL(labPage.url()).searchParams.get('at'); // after the page has drawn them
  await lines.focus();
  await labPage.keyboard.press('Control+Home');
  await labPage.keyboard.press('ArrowRight');
  await labPage.keyboard.press('ArrowRight');
  await labPage.keyboard.press('Enter');
  await expect.poll(cutsInLink).toBe('2');
  await lines.fill(`${answer.slice(0, 20)}\n${answer.slice(20, -1)}\n${answer.slice(-1)}`);
  await expect.poll(cutsInLink).toBe(`20.${answer.length - 1}`);
  expect(new URL(labPage.url()).searchParams.get('text')).toBe(answer);
  await run(labPage);
  expect(await frames(labPage)).toBe('4');
  await expectWhole(browser(), labPage, 'lab-by-hand');
});

it('splits at random by the seed in the link or by the next seed', async () => {
  const labPage = await openLab({ cut: 'random', seed: '7', mean: '5' });
  await run(labPage);
  const strip = (): Promise<string[]> => labPage.locator('.reel-in').allTextContents();
  await labPage.keyboard.press('Home');
  const first = await strip();
  await labPage.reload();
  await run(labPage);
  await labPage.keyboard.press('Home');
  expect(await strip()).toEqual(first);
  await labPage.getByRole('button', { name: 'Next seed' }).click();
  await expect.poll(() => new URL(labPage.url()).searchParams.get('seed')).toBe('8');
  await labPage.getByText('Settings changed').waitFor();
});

it('uses the stream of a recorded run', async () => {
  const started = await fetch(page('api/agents/strict/runs'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'When does it arrive?' }),
  });
  expect(started.status).toBe(201);
  const { runId } = (await started.json()) as { runId: string };
  const labPage = await browser().open(page(`runs/${runId}`));
  await labPage.getByRole('treeitem', { name: /^Step 1/ }).click();
  await labPage.getByRole('link', { name: 'Open in the lab' }).click();
  await labPage.getByText(/^Step 1, attempt 1 of/).waitFor();
  await run(labPage);
  expect(await words(labPage, 'film-released')).toContain('It arrives on Monday.');
});

it('shows markup and bidirectional overrides as text', async () => {
  const hostile = '<img src=x onerror="document.title=1"> \u202Edlo \u2066' + 'long'.repeat(200);
  const labPage = await openLab({ text: hostile, cut: 'random', seed: '3', mean: '40' }, widths.phone);
  await run(labPage);
  expect(await words(labPage, 'film-released')).toContain('<img src=x onerror="document.title=1">');
  expect(await labPage.title()).not.toBe('1');
  expect(await labPage.locator('.film-text .hidden-character').count()).toBe(2);
  await expectWhole(browser(), labPage, 'lab-hostile');
});
