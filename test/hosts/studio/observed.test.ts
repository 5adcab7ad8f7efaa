import { Agent } from '@mastra/core/agent';
import { describe, expect, it } from 'vitest';

import type { RunPage } from '../../../playground/protocol/runs.js';
import { guardsFor, pipeline } from '../../../src/index.js';
import { scriptedModel } from '../../../src/testing/index.js';
import { redactor } from '../../../workflows/guards/index.js';
import { widths } from '../browser.js';
import { useBrowser } from '../use-browser.js';
import { expectVisible } from './expect-visible.js';
import { useStudio } from './serve-studio.js';

const studio = useStudio();
const browser = useBrowser({ suite: 'studio' });

/** An agent of Mastra that the application starts itself. */
const generate = async (text: string): Promise<string> => {
  const guards = pipeline('plain-guards')
    .then(redactor({ strategy: 'replace' }))
    .commit();
  const model = scriptedModel({ steps: () => ({ text: 'Write to ada@example.com.' }) });
  await new Agent({ id: 'plain', name: 'Plain', instructions: 'Help.', model, ...guardsFor(guards) }).generate(text);
  const { runs } = (await (await fetch(studio.href('api/runs?agent=plain'))).json()) as RunPage;
  return runs[0]?.runId ?? '';
};

describe.each(Object.values(widths))('a run reported only by guards, at %i px', (width) => {
  it('shows the verdicts and states which data is not recorded', async () => {
    const page = await browser().open(studio.href(`runs/${await generate('My mail is ada@example.com.')}`), { width });
    await page.getByRole('treeitem', { name: /^redactor Input edited/ }).click();
    const guard = page.locator('.inspector');
    await expectVisible(guard.getByText('edited', { exact: true }));
    await expectVisible(guard.getByText(/not recorded/).first());
    const main = await page.locator('main').textContent();
    expect(main).not.toMatch(/studio\/|in progress|The conversation/);
    await browser().screenshot(page, 'run-observed');
  });
});
