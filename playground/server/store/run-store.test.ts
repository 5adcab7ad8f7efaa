import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunSort, RunSummary } from '../../protocol/runs.js';
import { openLibsqlStore } from './libsql-store.js';
import { openMemoryStore } from './open-store.js';
import type { RunRecord, RunStore, StoreBounds } from './run-store.js';

const folders: string[] = [];
const inFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'studio-'));
  folders.push(folder);
  return `file:${join(folder, 'runs.db')}`;
};

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const stores: [string, (bounds?: StoreBounds) => Promise<RunStore>][] = [
  ['memory', async (bounds) => openMemoryStore(bounds)],
  ['a libSQL file', (bounds) => openLibsqlStore({ url: inFolder(), ...bounds })],
];

const summary = (runId: string, fields: Partial<RunSummary> = {}): RunSummary => ({
  runId,
  agentId: 'a',
  threadId: 't',
  status: 'success',
  startedAt: 1,
  durationMs: 2,
  userText: 'Hello',
  answered: 'Hi',
  steps: 1,
  retries: 0,
  guards: [],
  entries: 1,
  ...fields,
});

const record = (runId: string, fields: Partial<RunSummary> = {}, lines = [`"${runId}"`], from = 0): RunRecord => ({
  summary: summary(runId, fields),
  words: fields.userText?.toLowerCase() ?? '',
  news: { entry: { from, lines }, trace: { from: 0, lines: [] } },
});

const ids = async (store: RunStore, query: object = {}): Promise<string[]> =>
  (await store.list({ limit: 50, ...query })).runs.map(({ runId }) => runId);

describe.each(stores)('runs in %s', (_, open) => {
  it('are found in their last saved form with their lines', async () => {
    const store = await open();
    await store.save([record('1', { status: 'running' }, ['0', '1'])]);
    await store.save([record('1', { status: 'tripwire' }, ['2'], 2)]);
    expect(await store.find('1')).toEqual(summary('1', { status: 'tripwire' }));
    const query = { runId: '1', kind: 'entry', limit: 2 } as const;
    expect(await store.lines({ ...query, from: 0 })).toEqual(['0', '1']);
    expect(await store.lines({ ...query, from: 1 })).toEqual(['1', '2']);
    expect(await store.lines({ ...query, kind: 'trace', from: 0 })).toEqual([]);
    expect(await store.find('2')).toBeUndefined();
    await store.close();
  });

  it('return their lines in order regardless of batch sizes', async () => {
    const store = await open();
    const lines = [...Array.from({ length: 2_600 }).keys()].map(String);
    for (let from = 0, size = 1; from < lines.length; from += size, size = (size * 3) % 1_201)
      await store.save([record('1', {}, lines.slice(from, from + size), from)]);
    for (const [from, limit] of [
      [0, 5_000],
      [0, 1],
      [1, 700],
      [1_299, 2],
      [2_599, 5],
      [2_600, 5],
    ] as const)
      expect(await store.lines({ runId: '1', kind: 'entry', from, limit })).toEqual(lines.slice(from, from + limit));
    await store.close();
  });

  it('are listed newest first, in pages', async () => {
    const store = await open();
    await store.save(['1', '2', '3'].map((runId) => record(runId)));
    const first = await store.list({ limit: 2 });
    expect(first.runs.map(({ runId }) => runId)).toEqual(['3', '2']);
    expect(first.next).toBe('2');
    expect(await store.list({ limit: 2, before: '2' })).toEqual({ runs: [summary('1')] });
    expect(await ids(store, { before: 'gone' })).toEqual([]);
    await store.close();
  });

  it('are sorted by duration and tokens in pages, unknown values last', async () => {
    const store = await open();
    const fields = [
      { durationMs: 5, tokens: 9, startedAt: 10 },
      { durationMs: undefined, startedAt: 20 },
      { durationMs: 70, tokens: 1, startedAt: 30 },
      { durationMs: 5, startedAt: 40 },
    ];
    await store.save(fields.map((one, index) => record(`${index}`, one)));
    const pages = async (sort: RunSort): Promise<string[]> => {
      const found: string[] = [];
      for (let before: string | undefined, isFirst = true; isFirst || before !== undefined; isFirst = false) {
        const page = await store.list({ limit: 1, sort, ...(before !== undefined && { before }) });
        found.push(...page.runs.map(({ runId }) => runId));
        before = page.next;
      }
      return found;
    };
    expect(await pages('time')).toEqual(['3', '2', '1', '0']);
    expect(await pages('duration')).toEqual(['2', '3', '0', '1']);
    expect(await pages('tokens')).toEqual(['0', '2', '3', '1']);
    expect(await ids(store, { since: 20, sort: 'duration' })).toEqual(['2', '3', '1']);
    await store.close();
  });

  it.each([
    [{ status: 'tripwire' }, ['2']],
    [{ agent: 'b' }, ['2', '1']],
    [{ thread: 'other' }, ['3']],
    [{ guard: 'pii' }, ['3', '1']],
    [{ guard: 'pi' }, []],
    [{ text: 'ÜBER 100%' }, ['1']],
    [{ text: '100_' }, []],
    [{ text: "'; DROP TABLE runs" }, []],
    [{ agent: 'b', text: 'hello' }, ['2']],
  ])('are found by %j', async (query, expected) => {
    const store = await open();
    await store.save([
      record('1', { agentId: 'b', guards: ['pii'], userText: 'Über 100% sicher' }),
      record('2', { agentId: 'b', status: 'tripwire', userText: 'Hello' }),
      record('3', { threadId: 'other', guards: ['leak', 'pii'], userText: 'What?' }),
    ]);
    expect(await ids(store, query)).toEqual(expected);
    await store.close();
  });

  it('are limited in number, except running runs', async () => {
    const store = await open({ maxRuns: 2 });
    await store.save([record('1', { status: 'running' }), ...['2', '3', '4'].map((runId) => record(runId))]);
    expect(await ids(store)).toEqual(['4', '1']);
    expect(await store.lines({ runId: '2', kind: 'entry', from: 0, limit: 9 })).toEqual([]);
    await store.close();
  });

  it('are limited in bytes', async () => {
    const store = await open({ maxBytes: 100 });
    for (const runId of ['1', '2', '3']) await store.save([record(runId, {}, ['é'.repeat(20)])]);
    expect(await ids(store)).toEqual(['3', '2']);
    await store.save([record('4', {}, ['x'.repeat(200)])]);
    expect(await ids(store)).toEqual(['4']);
    await store.close();
  });

  it('remove their conversation with the last of its runs', async () => {
    const store = await open({ maxRuns: 1 });
    const messages = [{ id: 'm', role: 'user', createdAt: new Date(5), content: { format: 2, parts: [] } }] as const;
    await store.writeConversation('t', messages as never);
    await store.save([record('1'), record('2')]);
    expect(await store.readConversation('t')).toEqual(messages);
    await store.save([record('3', { threadId: 'other' })]);
    expect(await store.readConversation('t')).toEqual([]);
    await store.close();
  });
});

describe('a libSQL file', () => {
  it('keeps runs after reopening and lists unfinished runs', async () => {
    const url = inFolder();
    const first = await openLibsqlStore({ url });
    const going = [summary('going', { status: 'running' }), summary('resting', { status: 'suspended' })];
    await first.save([record('over'), ...going.map((one) => record(one.runId, one))]);
    await first.close();
    const second = await openLibsqlStore({ url });
    expect(await second.find('over')).toEqual(summary('over'));
    expect(await second.abandoned()).toEqual(going);
    await second.save([record('going', { status: 'failed' }, [], 1)]);
    expect(await second.abandoned()).toEqual(going.slice(1));
    await second.close();
  });
});
