import { describe, expect, it } from 'vitest';

import { useBrowser } from '../use-browser.js';
import { findFaintWords } from './find-faint-words.js';
import { startRun, useWorkbench } from './serve-workbench.js';

const page = useWorkbench();
const browser = useBrowser({ suite: 'studio-workbench' });

it('finds text with too little contrast', async () => {
  const openedPage = await browser().open('data:text/html,<p style="color:%23777">faint</p><p style="color:%23666">clear</p>');
  expect(await findFaintWords(openedPage)).toEqual(['4.48 faint']);
});

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it('shows no text with too little contrast', async () => {
    const openedPage = await browser().open(page('pipelines'), { colorScheme });
    await openedPage.emulateMedia({ colorScheme, reducedMotion: 'reduce' }); // a color in transition is neither
    await openedPage.getByRole('heading', { name: 'Pipelines' }).waitFor();
    expect(await findFaintWords(openedPage)).toEqual([]);

    await openedPage.getByRole('link', { name: 'tone-output' }).click();
    await openedPage.getByRole('button', { name: /guard\/retry-without-budget/ }).click();
    await openedPage.getByRole('button', { name: 'Run', exact: true }).click();
    await openedPage.getByRole('region', { name: 'Result: Compiled plan' }).waitFor();
    expect(await findFaintWords(openedPage)).toEqual([]);

    await openedPage.getByRole('link', { name: 'Chunk lab' }).click();
    await openedPage.getByRole('button', { name: 'Run stream' }).click();
    await openedPage.getByRole('slider').waitFor();
    await openedPage.keyboard.press('Home');
    await openedPage.keyboard.press('ArrowRight');
    expect(await findFaintWords(openedPage)).toEqual([]);

    await openedPage.goto(page(`runs/${await startRun(page, 'again')}`));
    await openedPage.getByRole('tree').waitFor();
    await openedPage.getByRole('button', { name: 'Go to start' }).click();
    await openedPage.locator('.row-later').first().waitFor();
    expect(await findFaintWords(openedPage)).toEqual([]);

    await openedPage.getByRole('button', { name: 'Go to end and follow' }).click();
    await openedPage.getByRole('button', { name: 'Again', exact: true }).click();
    await openedPage.getByRole('link', { name: 'Replay with other pipelines' }).click();
    await openedPage.getByLabel('output guards').selectOption('strict-output');
    await openedPage.getByRole('button', { name: 'Replay' }).click();
    await openedPage.getByText(/verdicts? differ/).waitFor();
    expect(await findFaintWords(openedPage)).toEqual([]);
  });
});
