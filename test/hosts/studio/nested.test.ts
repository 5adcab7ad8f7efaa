import { Mastra } from '@mastra/core/mastra';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { buildPages } from '../../../playground/samples/run-studio.js';
import { startStudio, type StudioServer } from '../../../playground/server/start-studio.js';
import { InterlockAgent, pipeline } from '../../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../../src/testing/index.js';
import { widths } from '../browser.js';
import { useBrowser } from '../use-browser.js';
import { expectVisible } from './expect-visible.js';

const browser = useBrowser({ suite: 'studio' });

const agentOf = (id: string, steps: () => ScriptedStep<'v2'>, more: object = {}) =>
  new InterlockAgent({ id, name: id, description: id, instructions: 'Help.', model: scriptedModel({ steps }), ...more });

const callOnce = (id: string) => {
  let wasCalled = false;
  return (): ScriptedStep<'v2'> => {
    wasCalled = !wasCalled;
    return wasCalled ? { toolCalls: [{ name: `agent-${id}`, args: { prompt: 'Go on.' } }] } : { text: 'I do not know.' };
  };
};

const refuses = pipeline('refuses')
  .then({ id: 'secrecy', processOutputResult: async ({ abort }) => abort('It is a secret.') })
  .commit();

const clerk = agentOf('clerk', () => ({ text: 'The vault is open.' }), { outputProcessors: refuses });
const analyst = agentOf('analyst', callOnce('clerk'), { agents: { clerk } });
const boss = agentOf('boss', callOnce('analyst'), { agents: { analyst } });
let studio: StudioServer;
beforeAll(async () => {
  await buildPages(() => undefined);
  studio = await startStudio({ mastra: new Mastra({ agents: { boss }, logger: false }), port: 0, token: false });
});
afterAll(() => studio.close());

/** The findings of axe that are serious or worse. */
const faults = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source);
  return page.evaluate(
    `axe.run().then(({ violations }) => violations.filter(({ impact }) => /serious|critical/.test(impact)).map(({ id }) => id))`,
  );
};

describe.each([
  [widths.desktop, 'light'],
  [widths.desktop, 'dark'],
  [widths.phone, 'light'],
  [widths.phone, 'dark'],
] as const)('at %i px, %s', (width, colorScheme) => {
  it('nests sub-agents inside their supervisor and shows a rejection in both runs', async () => {
    await boss.generate('What is in the vault?');
    const page = await browser().open(`${studio.url}runs?agent=boss`, { width, colorScheme });
    await page.locator('.run-row').first().click();
    const refused = page.getByRole('treeitem', { name: /^secrecy .*blocked/ });
    await expectVisible(page.getByRole('treeitem', { name: /^analyst/ }));
    await expectVisible(refused);
    await expectVisible(page.locator('.run-story', { hasText: 'in sub-agent analyst › clerk: secrecy blocked: It is a secret' }));
    await expectVisible(page.locator('.run-story', { hasText: /5 model calls \(3 in sub-agents\)/ }));
    await browser().screenshot(page, `sub-agents-${colorScheme}`);
    expect(await faults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await refused.click();
    await page.getByRole('link', { name: 'Open this run' }).click();
    await expectVisible(page.locator('.run-story', { hasText: 'secrecy' }));
    await page.getByRole('link', { name: 'Parent run' }).click();
    await page.waitForURL(/at=\d+/);
    await expectVisible(page.locator('.run-title', { hasText: 'Go on.' }));
  });
});
