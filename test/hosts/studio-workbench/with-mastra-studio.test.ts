import { afterAll, beforeAll, expect, it, vi } from 'vitest';

import { buildPages } from '../../../playground/samples/run-studio.js';
import { startStudio, type StudioServer } from '../../../playground/server/start-studio.js';
import { serveApp } from '../app/serve.js';
import { startStudio as startMastraStudio } from '../app/studio.js';
import { useBrowser } from '../use-browser.js';

/** Errors of Mastra's Studio in any app without its development server, its editor and its observability store. */
const tolerated = [/EventSource's response/, /\/api\/observability\//, /models\.dev\/logos/, /404 .*\/runs\//];

let app: Awaited<ReturnType<typeof serveApp>>;
let theirs: Awaited<ReturnType<typeof startMastraStudio>>;
let ours: StudioServer;
beforeAll(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined); // Mastra's server searches the network for model providers
  await buildPages(() => undefined);
  app = await serveApp();
  theirs = await startMastraStudio(app.url);
  ours = await startStudio({ mastra: app.mastra, port: 0, token: false });
});
afterAll(async () => {
  await ours.close();
  await theirs.close();
  await app.close();
  vi.restoreAllMocks();
});

const browser = useBrowser({ suite: 'studio-workbench', tolerated });

it.each(['incoming', 'outgoing'])('Mastra Studio and Interlock studio draw the same guards of %s', async (id) => {
  const mastras = await browser().open(`${theirs.url}/workflows/${id}/graph`);
  const inspect = mastras.getByRole('button', { name: /^Inspect processor:/ });
  await inspect.first().waitFor();
  const labels = await Promise.all((await inspect.all()).map((one) => one.getAttribute('aria-label')));
  const names = labels.map((label) => label?.replace('Inspect processor:', '') ?? '');
  await browser().screenshot(mastras, `mastra-studio-${id}`);

  const studioPage = await browser().open(new URL(`pipelines/${id}`, ours.url).href);
  const graph = studioPage.getByRole('group', { name: `Graph of ${id}` });
  await graph.locator('.pg-step .pg-id').first().waitFor();
  await browser().screenshot(studioPage, `our-studio-${id}`);
  expect(names.length).toBeGreaterThan(1);
  expect((await graph.locator('.pg-step .pg-id').allTextContents()).toSorted()).toEqual(names.toSorted());
});

it('Mastra Studio and Interlock studio list the same pipelines', async () => {
  const studioPage = await browser().open(new URL('pipelines', ours.url).href);
  await studioPage.getByRole('link', { name: 'incoming' }).waitFor();
  const listed = await studioPage.locator('.pipelines tbody th a').allTextContents();
  const workflows = (await (await fetch(`${app.url}/api/workflows`)).json()) as Record<string, { isProcessorWorkflow?: boolean }>;
  const processors = Object.entries(workflows).filter(([, { isProcessorWorkflow }]) => isProcessorWorkflow);
  expect(listed).toEqual(expect.arrayContaining(processors.map(([name]) => name)));
  expect(processors.map(([name]) => name)).toEqual(expect.arrayContaining(['incoming', 'outgoing', 'spare']));
});
