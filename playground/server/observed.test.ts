import { expect, it, vi } from 'vitest';
import type { RunPage } from '../protocol/runs.js';
import { collectTraces, type TraceRecorder } from '../../src/replay.js';
import { makeAgent, openStudio, patience } from './test-setup.js';

const runsOf = async ({ json }: Awaited<ReturnType<typeof openStudio>>) => (await json<RunPage>('runs')).runs;

it('shows runs of the application without a recorder in its agents', async () => {
  const { agent } = makeAgent([{ text: 'Hello.' }, { text: 'Again.' }]);
  const stranger = makeAgent([{ text: 'Hidden?' }], { id: 'unlisted', name: 'Unlisted' }).agent;
  const studio = await openStudio(agent);
  await agent.generate('My mail is ada@example.com.');
  await stranger.generate('And I?');
  const runs = await vi.waitFor(async () => {
    const all = await runsOf(studio);
    expect(all.map(({ status }) => status)).toEqual(['success', 'success']);
    return all;
  }, patience);
  expect(runs.map(({ agentId, answered }) => [agentId, answered])).toEqual([
    ['unlisted', 'Hidden?'],
    ['helper', 'Hello.'],
  ]);
  expect(runs[1]?.guards).toEqual(['redactor']);
});

it('shows a run once with several recorders and for both origins', async () => {
  const own = collectTraces();
  const { agent } = makeAgent([{ text: 'One.' }, { text: 'Two.' }], { record: own.record });
  const studio = await openStudio(agent);
  await studio.run('Started from a page.');
  await agent.generate('Started by the application.');
  await vi.waitFor(
    async () =>
      expect((await runsOf(studio)).map(({ userText, status }) => [userText, status])).toEqual([
        ['Started by the application.', 'success'],
        ['Started from a page.', 'success'],
      ]),
    patience,
  );
  expect(own.traces).toHaveLength(1); // a call's own recorder replaces that of its agent
});

it('observes nothing in production, after close, or with observe: false', async () => {
  const { agent } = makeAgent([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
  const off = await openStudio(agent, { observe: false });
  vi.stubEnv('NODE_ENV', 'production');
  const productive = await openStudio(agent);
  vi.unstubAllEnvs();
  const closed = await openStudio(agent);
  await closed.close();
  await agent.generate('Hello?');
  for (const studio of [off, productive]) expect(await runsOf(studio)).toEqual([]);
});

it('observes under `mastra dev`, which sets `NODE_ENV` to `production`', async () => {
  const { agent } = makeAgent([{ text: 'One.' }]);
  vi.stubEnv('NODE_ENV', 'production');
  vi.stubEnv('MASTRA_DEV', 'true');
  const studio = await openStudio(agent);
  vi.unstubAllEnvs();
  await agent.generate('Hello?');
  expect(await runsOf(studio)).toHaveLength(1);
});

it('isolates observers from a failing recorder of an agent', async () => {
  const failing: TraceRecorder = () => {
    throw new Error('The disk is full.');
  };
  const { agent } = makeAgent([{ text: 'Fine.' }], { record: failing });
  const studio = await openStudio(agent);
  expect((await agent.generate('Hello?')).text).toBe('Fine.');
  await expect.poll(async () => (await runsOf(studio)).map(({ status }) => status)).toEqual(['success']);
});
