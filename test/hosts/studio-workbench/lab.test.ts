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

const run = async (shown: Page): Promise<void> => {
  await shown.getByRole('button', { name: 'Run stream' }).click();
  await shown.getByRole('slider', { name: 'Stream position' }).waitFor();
};

/** The current text, by its state. */
const words = async (shown: Page, look: string): Promise<string> =>
  (await shown.locator(`.film-text .${look} .inert`).allTextContents()).join('');

const frames = (shown: Page): Promise<string | null> => shown.getByRole('slider').getAttribute('max');

describe.each(Object.values(widths))('at %i px', (width) => {
  it('shows released, buffered and pending text at each chunk', async () => {
    const shown = await openLab({ cut: 'characters' }, width);
    await run(shown);
    expect(await words(shown, 'film-released')).not.toContain('@');
    expect(await words(shown, 'film-coming')).toBe('');
    await shown.keyboard.press('Home');
    expect(await words(shown, 'film-coming')).toBe(answer);
    const until = answer.indexOf('@') + 1;
    for (let step = 0; step < until; step += 1) await shown.keyboard.press('ArrowRight');
    expect(await words(shown, 'film-held')).toContain('ann.lee@');
    expect(await words(shown, 'film-coming')).toBe(answer.slice(until));
    await expectWhole(browser(), shown, 'lab-held');
    await shown.keyboard.press('n');
    await shown.keyboard.press('ArrowLeft');
    expect(await words(shown, 'film-held')).not.toBe('');
  });

  it('finds a split that leaks and loads it into the lab', async () => {
    const shown = await openLab({ pipeline: 'leaky-output' }, width);
    await shown.getByLabel('Secret text').fill(mail);
    await shown.getByRole('button', { name: 'Search' }).click();
    const load = shown.getByRole('button', { name: 'Load this split into the lab' });
    await load.waitFor();
    await expectWhole(browser(), shown, 'lab-leak');
    await load.click();
    await shown.getByRole('slider').waitFor();
    expect(await words(shown, 'film-released')).toContain('ann.');
    await expect.poll(() => new URL(shown.url()).searchParams.get('cut')).toBe('by-hand');
  });
});

it('finds no leak through a guard with a window', async () => {
  const shown = await openLab({});
  await shown.getByLabel('Secret text').fill(mail);
  await shown.getByLabel('Random splits').fill('10');
  await shown.getByRole('button', { name: 'Search' }).click();
  await shown
    .getByText(/No leak in [\d,]+ splits: two chunks at every position, single characters, and \d+ random splits/)
    .waitFor({ timeout: 45_000 });
  expect(await shown.getByRole('button', { name: /Load/ }).count()).toBe(0);
});

it('splits by hand with keyboard and pointer', async () => {
  const shown = await openLab({ cut: 'by-hand' });
  const cuts = shown.getByRole('group', { name: 'Chunk boundaries' });
  await cuts.getByRole('button', { name: 'boundary before t', exact: true }).first().focus();
  await shown.keyboard.press('ArrowRight');
  await shown.keyboard.press('Space');
  await shown.keyboard.press('End');
  await shown.keyboard.press('Enter');
  await cuts.locator('[data-place="20"]').click({ position: { x: 1, y: 8 } });
  const cutsInLink = () => new URL(shown.url()).searchParams.get('at'); // after the page has drawn them
  await expect.poll(cutsInLink).toBe(`2.20.${answer.length - 1}`);
  await shown.keyboard.press('ArrowUp');
  await shown.keyboard.press('Space');
  await expect.poll(cutsInLink).toBe(`20.${answer.length - 1}`);
  await run(shown);
  expect(await frames(shown)).toBe('4');
  await expectWhole(browser(), shown, 'lab-by-hand');
});

it('splits at random by the seed in the link or by the next seed', async () => {
  const shown = await openLab({ cut: 'random', seed: '7', mean: '5' });
  await run(shown);
  const strip = (): Promise<string[]> => shown.locator('.reel-in').allTextContents();
  await shown.keyboard.press('Home');
  const first = await strip();
  await shown.reload();
  await run(shown);
  await shown.keyboard.press('Home');
  expect(await strip()).toEqual(first);
  await shown.getByRole('button', { name: 'Next seed' }).click();
  await expect.poll(() => new URL(shown.url()).searchParams.get('seed')).toBe('8');
  await shown.getByText('Settings changed').waitFor();
});

it('uses the stream of a recorded run', async () => {
  const started = await fetch(page('api/agents/strict/runs'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'When does it arrive?' }),
  });
  expect(started.status).toBe(201);
  const shown = await openLab({});
  await shown.getByLabel('as recorded').check();
  await shown.getByRole('combobox', { name: 'Run', exact: true }).selectOption({ index: 1 });
  await shown.getByLabel('Model call').waitFor();
  await run(shown);
  expect(await words(shown, 'film-released')).toContain('It arrives on Monday.');
});

it('shows markup and bidirectional overrides as text', async () => {
  const hostile = '<img src=x onerror="document.title=1"> \u202Edlo \u2066' + 'long'.repeat(200);
  const shown = await openLab({ text: hostile, cut: 'random', seed: '3', mean: '40' }, widths.phone);
  await run(shown);
  expect(await words(shown, 'film-released')).toContain('<img src=x onerror="document.title=1">');
  expect(await shown.title()).not.toBe('1');
  expect(await shown.locator('.film-text .hidden-character').count()).toBe(2);
  await expectWhole(browser(), shown, 'lab-hostile');
});
