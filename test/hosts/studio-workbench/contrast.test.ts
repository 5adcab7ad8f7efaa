import { describe, expect, it } from 'vitest';

import { useBrowser } from '../use-browser.js';
import { findFaintWords } from './find-faint-words.js';
import { startRun, useWorkbench } from './serve-workbench.js';

const page = useWorkbench();
const browser = useBrowser({ suite: 'studio-workbench' });

it('finds text with too little contrast', async () => {
  const shown = await browser().open('data:text/html,<p style="color:%23777">faint</p><p style="color:%23666">clear</p>');
  expect(await findFaintWords(shown)).toEqual(['4.48 faint']);
});

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it('shows no text with too little contrast', async () => {
    const shown = await browser().open(page('pipelines'), { colorScheme });
    await shown.emulateMedia({ colorScheme, reducedMotion: 'reduce' }); // a color in transition is neither
    await shown.getByRole('heading', { name: 'Pipelines' }).waitFor();
    expect(await findFaintWords(shown)).toEqual([]);

    await shown.getByRole('link', { name: 'tone-output' }).click();
    await shown.getByRole('button', { name: /guard\/retry-without-budget/ }).click();
    await shown.getByRole('button', { name: 'Run', exact: true }).click();
    await shown.getByRole('region', { name: 'Result: Compiled plan' }).waitFor();
    expect(await findFaintWords(shown)).toEqual([]);

    await shown.getByRole('link', { name: 'Chunk lab' }).click();
    await shown.getByRole('button', { name: 'Run stream' }).click();
    await shown.getByRole('slider').waitFor();
    await shown.keyboard.press('Home');
    await shown.keyboard.press('ArrowRight');
    expect(await findFaintWords(shown)).toEqual([]);

    await shown.goto(page(`runs/${await startRun(page, 'again')}`));
    await shown.getByText('Guard effects').first().waitFor();
    await shown.getByRole('button', { name: 'Go to start' }).click();
    await shown.getByText('No guard calls').waitFor();
    expect(await findFaintWords(shown)).toEqual([]);

    await shown.getByRole('button', { name: 'Go to end and follow' }).click();
    await shown.getByRole('link', { name: 'Replay and compare' }).click();
    await shown.getByLabel('output guards').selectOption('strict-output');
    await shown.getByRole('button', { name: 'Replay' }).click();
    await shown.getByText(/verdicts? differ/).waitFor();
    expect(await findFaintWords(shown)).toEqual([]);
  });
});
