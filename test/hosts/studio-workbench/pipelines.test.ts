import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';

import { loopMachine } from '../../../src/index.js';
import { widths } from '../browser.js';
import { useBrowser } from '../use-browser.js';
import { expectWhole } from './pages.js';
import { useWorkbench } from './serve-workbench.js';

const page = useWorkbench();
const browser = useBrowser({ suite: 'studio-workbench' });

const download = async (from: Page, button: string): Promise<string> => {
  const [file] = await Promise.all([from.waitForEvent('download'), from.getByRole('button', { name: button }).click()]);
  return text(await file.createReadStream());
};

describe.each(Object.values(widths))('at %i px', (width) => {
  it('lists pipelines with their phases, users and findings [spec 4.23]', async () => {
    const openedPage = await browser().open(page('pipelines'), { width });
    const row = openedPage.getByRole('row').filter({ hasText: 'content-moderation' });
    await row.getByText('Processor').waitFor();
    await row.getByText('parcels').waitFor();
    expect(await row.getByLabel('covered', { exact: true }).count()).toBe(5);
    await expectWhole(browser(), openedPage, 'pipelines');
    await openedPage.getByRole('link', { name: 'tone-output' }).click();
    await openedPage.getByRole('heading', { name: 'tone-output' }).waitFor();
    await expect.poll(() => new URL(openedPage.url()).pathname).toBe('/pipelines/tone-output');
  });

  it('draws a pipeline and describes the selected step', async () => {
    const openedPage = await browser().open(page('pipelines/content-moderation'), { width });
    const graph = openedPage.getByRole('group', { name: 'Graph of content-moderation' });
    for (const name of ['length', 'prompt-injection', 'pii', 'blocked-terms'])
      await graph.getByRole('button', { name }).waitFor();
    await graph.getByRole('button', { name: /^pii/ }).focus();
    await openedPage.keyboard.press('Enter');
    await openedPage.getByText('content-moderation/parallel.1/pii').waitFor();
    await expectWhole(browser(), openedPage, 'pipeline');
  });

  it('shows the step and the counterexample of a finding', async () => {
    const openedPage = await browser().open(page('pipelines/tone-output'), { width });
    await openedPage.getByRole('button', { name: /guard\/retry-without-budget/ }).click();
    const graph = openedPage.getByRole('group', { name: 'Graph of tone-output' });
    await graph.getByRole('button', { name: /calm.*warning/, pressed: true }).waitFor();
    const chart = openedPage.getByRole('group', { name: 'Loop statechart' });
    await chart.locator('[aria-current="step"]', { hasText: 'tripwire' }).waitFor();
    await openedPage.getByRole('list', { name: 'States of the loop' }).getByRole('button', { name: 'reviewing' }).click();
    await chart.locator('[aria-current="step"]', { hasText: 'reviewing' }).waitFor();
    await expectWhole(browser(), openedPage, 'finding');
  });
});

describe('an export', () => {
  it('can be an image of the pipeline with every guard', async () => {
    const openedPage = await browser().open(page('pipelines/content-moderation'));
    const svg = await download(openedPage, 'Download SVG');
    for (const words of ['prompt-injection', 'blocked-terms', 'parallel · 2']) expect(svg).toContain(words);
    const picture = await browser().open(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`);
    await browser().screenshot(picture, 'pipeline-svg');
  });

  it('can be an image of the statechart', async () => {
    const openedPage = await browser().open(page('machine'));
    const svg = await download(openedPage, 'Download SVG');
    for (const words of ['preparing', 'reviewing', 'suspended', 'tripwire']) expect(svg).toContain(`>${words}<`);
    const picture = await browser().open(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`);
    await browser().screenshot(picture, 'machine-svg');
  });

  it('can be the machine in the format of XState', async () => {
    const openedPage = await browser().open(page('machine'));
    await browser().screenshot(openedPage, 'machine');
    const machine = createMachine(JSON.parse(await download(openedPage, 'XState JSON')) as Parameters<typeof createMachine>[0]);
    const ids = (of: typeof loopMachine.root): string[] => [of.id, ...Object.values(of.states).flatMap((state) => ids(state))];
    expect(ids(machine.root as unknown as typeof loopMachine.root)).toEqual(ids(loopMachine.root));
  });
});

it('copies Mermaid to the clipboard and confirms it', async () => {
  const openedPage = await browser().open(page('pipelines/content-moderation'));
  await openedPage.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await openedPage.getByRole('button', { name: 'Copy Mermaid' }).click();
  await openedPage.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await openedPage.evaluate('navigator.clipboard.readText()');
  expect(copied).toMatch(/^(flowchart|graph) /);
  expect(copied).toContain('prompt-injection');
});
