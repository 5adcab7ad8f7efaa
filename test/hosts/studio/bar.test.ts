import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunEvent } from '../../../schemas/index.js';
import type { RunPage, RunSummary, StartedRun } from '../../../playground/protocol/runs.js';
import type { StudioEntry } from '../../../playground/protocol/trace-entry.js';
import { buildPages } from '../../../playground/samples/run-studio.js';
import { startStudio, type StudioServer } from '../../../playground/server/start-studio.js';
import { useBrowser } from '../use-browser.js';
import { openWorkflow } from '../../../src/durable/openworkflow/index.js';
import { awkwardAgents, awkwardInput, awkwardMastra, durableAgent, runAiSdk } from './awkward-runs.js';

const browser = useBrowser({ suite: 'studio' });
const folder = mkdtempSync(join(tmpdir(), 'studio-bar-'));
const file = join(folder, 'runs.db');
let studio: StudioServer;
let engine: ReturnType<typeof openWorkflow>;
const runs = new Map<string, string>();

const api = async <T>(path: string, body?: object): Promise<T> => {
  const how = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(new URL(`api/${path}`, studio.url), how);
  return (response.status === 204 ? undefined : await response.json()) as T; // by the protocol
};

const settled = async (runId: string): Promise<RunSummary> => {
  for (;;) {
    const run = await api<RunSummary>(`runs/${runId}`);
    if (run.status !== 'running') return run;
    await sleep(20);
  }
};

const answer = async (runId: string, approved: boolean): Promise<void> => {
  const { entries } = await settled(runId).then(async () => ({ entries: await api<StudioEntry[]>(`runs/${runId}/entries`) }));
  const call = entries.flatMap((entry) => (entry.kind === 'tool' ? [entry.toolCallId] : []))[0];
  await api(`runs/${runId}/answer`, { toolCallId: call, approved, ...(!approved && { reason: 'Too much.' }) });
};

/** Starts the studio as another process would: with new agents and a new connection of the engine. */
const open = async (): Promise<ReturnType<typeof awkwardAgents>> => {
  engine = openWorkflow({ path: join(folder, 'engine.db') });
  const agents = { ...awkwardAgents(), 'a run resumed after a restart': durableAgent(engine) };
  studio = await startStudio({ mastra: awkwardMastra(agents), file, port: 0, token: false });
  return agents;
};

const close = async (): Promise<void> => {
  await studio?.close();
  await engine?.close();
};

beforeAll(async () => {
  await buildPages(() => undefined);
  const agents = await open();
  for (const [end, { id }] of Object.entries(agents))
    runs.set(end, (await api<StartedRun>(`agents/${id}/runs`, { text: awkwardInput })).runId);
  await answer(runs.get('an approved call') ?? '', true);
  await answer(runs.get('a declined call') ?? '', false);
  await sleep(300);
  await api(`runs/${runs.get('a canceled run')}/cancel`, {});
  for (const [end, runId] of runs) if (end !== 'a run that hangs') await settled(runId);
  await runAiSdk();
  const ofAiSdk = await api<RunPage>('runs?agent=sdk-loop');
  runs.set('a run of the AI SDK', ofAiSdk.runs[0]?.runId ?? '');
});
afterAll(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

/** A processor or tool, and the words for its part in an event. */
type Said = readonly (readonly [name: string, words: RegExp])[];

const nothing = (): Said => [];

/** The facts of an event that are not as usual, read from the event alone. */
const factsByType: { readonly [T in RunEvent['type']]: (event: Extract<RunEvent, { type: T }>) => Said } = {
  guard: ({ verdict, processorId }) =>
    verdict === 'pass'
      ? []
      : [[processorId, { trip: /block/i, retry: /retr|block/i, edit: /edit|reject/i, unavailable: /unavailable/i }[verdict]]],
  'guard-shadow': ({ verdict, processorId }) => (verdict === 'pass' ? [] : [[processorId, /would/i]]),
  'guard-bypass': ({ processorId }) => [[processorId, /bypass/i]],
  'merge-conflict': ({ authors }) => authors.map((author) => [author, /conflict/i]),
  'stale-verdict': ({ readers }) => readers.map((reader) => [reader, /older text|checked again/i]),
  'tool-finish': ({ outcome, toolName }) =>
    outcome === 'result' || outcome === 'reused'
      ? []
      : [
          [
            toolName.replace(/^agent-/, ''),
            { error: /fail|block/i, denied: /declined|rejected/i, suspended: /approv|done/i }[outcome],
          ],
        ],
  'model-error': () => [['', /fail/i]],
  retract: () => [['', /retracted/i]],
  'run-finish': ({ status }) =>
    status === 'success'
      ? []
      : [['', { tripwire: /block/i, failed: /fail/i, canceled: /cancel/i, suspended: /wait|approv/i }[status]]],
  'late-abort': ({ processorId }) => [[processorId, /too late/i]],
  memory: ({ error }) => (error === undefined ? [] : [['memory', /not saved/i]]),
  'model-wasted': () => [['', /discarded/i]],
  'model-call': nothing,
  'model-finish': nothing,
  'run-resume': nothing,
  'run-start': nothing,
  'state-enter': nothing,
  'step-finish': nothing,
  'tool-start': nothing,
};

const factsOf = (event: RunEvent): Said => (factsByType[event.type] as (event: RunEvent) => Said)(event); // of that type

/** A run that waited, or a call, and has gone on since, or has lost its process. */
const isPast = (event: RunEvent, entries: readonly StudioEntry[]): boolean =>
  entries.some((entry) =>
    entry.kind === 'event'
      ? entry.event.type === 'run-resume' && entry.event.runId === event.runId && entry.at >= event.at
      : entry.kind === 'status' && entry.status === 'interrupted',
  ) &&
  ((event.type === 'run-finish' && event.status === 'suspended') ||
    (event.type === 'tool-finish' && event.outcome === 'suspended'));

const treeOf = async (runId: string): Promise<string[]> => {
  const { runs: below } = await api<RunPage>(`runs?parent=${runId}`);
  return [runId, ...(await Promise.all(below.map((run) => treeOf(run.runId)))).flat()];
};

/** The texts that are on the page and in view: of the head, and of each row of the tree. */
const inView = async (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const seen = (element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const [x, y] = [Math.min(left + 8, right - 1), (top + bottom) / 2];
      if (top < 0 || bottom > innerHeight || left < 0 || right <= left) return false;
      const at = document.elementFromPoint(x, y);
      return at !== null && (element.contains(at) || at.contains(element));
    };
    const parts = document.querySelectorAll('.run-story, .run-facts, .row, .notice');
    const isCut = (part) => part.matches('.row-fact') && [...part.querySelectorAll('.row-id, .row-word')].some((text) => text.scrollWidth > text.clientWidth + 1);
    return [...parts].filter((part) => seen(part) && !isCut(part)).map((part) => part.innerText + ' ' + (part.ariaLabel ?? ''));
  })()`);

const sizes = [
  [1440, 900],
  [1024, 700],
] as const;

/** Goes to a run without another load of the page. */
const goTo = async (page: Page, runId: string): Promise<void> => {
  await page.evaluate(`history.pushState(null, '', '/runs/${runId}')`);
  await page.locator('.run-facts code', { hasText: runId }).waitFor();
};

/** Facts of a run that its page does not show, at both sizes. */
const missingOn = async (page: Page, end: string, runId: string): Promise<string[]> => {
  const tree = await treeOf(runId);
  const entries = (await Promise.all(tree.map((id) => api<StudioEntry[]>(`runs/${id}/entries`)))).flat();
  const events = entries.flatMap((entry) => (entry.kind === 'event' ? [entry.event] : []));
  const facts = events.filter((event) => !isPast(event, entries)).flatMap(factsOf);
  if (entries.some((entry) => entry.kind === 'status' && entry.status === 'interrupted')) facts.push(['', /interrupted/i]);
  await goTo(page, runId);
  const missing: string[] = [];
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    await page.locator('.row').nth(1).waitFor();
    if (tree.length > 1) await page.locator('.row', { hasText: 'book-rule' }).first().waitFor();
    const isShown =
      (parts: readonly string[]) =>
      ([who, what]: (typeof facts)[number]): boolean =>
        parts.some((text) => text.includes(who) && what.test(text));
    const lost = async () => {
      const parts = await inView(page);
      return facts.filter((fact) => !isShown(parts)(fact));
    };
    await expect
      .poll(async () => (await lost()).length, { timeout: 1500 })
      .toBe(0)
      .catch(() => undefined); // listed below
    missing.push(...(await lost()).map(([who, what]) => `${end} at ${width}: ${who} ${what.source}`));
    if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) missing.push(`${end} at ${width}: sideways`);
    if (missing.length > 0) await browser().screenshot(page, `bar-${end.replaceAll(' ', '-')}`);
  }
  return missing;
};

it('shows each fact of the tree of an unusual run without a click at 1440 x 900 and 1024 x 700', async () => {
  const page = await browser().open(new URL('runs', studio.url).href);
  const missing: string[] = [];
  for (const [end, runId] of runs) missing.push(...(await missingOn(page, end, runId)));
  expect(missing.join('\n')).toBe('');
});

it('shows the time and a way to stop of a run that hangs', async () => {
  const page = await browser().open(new URL(`runs/${runs.get('a run that hangs')}`, studio.url).href);
  const story = page.locator('.run-story');
  await expect.poll(() => story.textContent()).toMatch(/^In state calling for \d/);
  const before = await story.textContent();
  await expect.poll(() => story.textContent()).not.toBe(before);
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect.poll(() => story.textContent()).toMatch(/^Canceled after/);
});

it('calls a run that waited for a person interrupted when its process is gone', async () => {
  await close();
  await open();
  const end = 'a run without a process';
  const page = await browser().open(new URL('runs', studio.url).href);
  expect((await missingOn(page, end, runs.get(end) ?? '')).join('\n')).toBe('');
  await expect.poll(() => page.locator('.run-story').textContent()).toMatch(/^Interrupted after/);
});

it('shows each fact of a durable run that a person answered after a restart', async () => {
  const end = 'a run resumed after a restart';
  const runId = runs.get(end) ?? '';
  await answer(runId, true);
  await expect.poll(async () => (await settled(runId)).status).toBe('success');
  const page = await browser().open(new URL('runs', studio.url).href);
  expect((await missingOn(page, end, runId)).join('\n')).toBe('');
});
