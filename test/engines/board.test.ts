import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import type { Board, BoardEntry, Engine, Program } from '../../src/index.js';
import { engineOf } from './engine-spec.js';
import { sites, type Site } from './sites.js';

/** A program without runs: the tests only use its board. */
const program = (id: string): Program => ({ id, run: async () => '' });

const texts = (...given: readonly string[]): BoardEntry[] => given.map((text) => ({ text }));

describe.each(['restate', 'dbos'] as const)('the board of %s', (name) => {
  let site: Site;
  let engine: Engine;
  const boardFor = (id: string): Board => {
    const { board } = engine.host(program(id));
    if (!board) throw new Error(`${name} has no board.`);
    return board;
  };

  beforeAll(async () => {
    site = await sites[name]();
    engine = engineOf(site.specFor('tests'));
  });
  afterAll(async () => {
    await engine.close();
    await site.close();
  });

  it('returns entries in order, from any position, without gaps, with concurrent writers', async () => {
    const board = boardFor('entries');
    const ready = boardFor('others');
    expect(await ready.read('one', 0)).toEqual([]);
    expect(await board.append('one', texts('a', 'b'))).toBe(0);
    expect(await board.append('one', texts('c'))).toBe(2);
    await board.append('two', texts('x'));
    expect(await board.read('one', 0)).toEqual(['a', 'b', 'c']);
    expect(await board.read('one', 2)).toEqual(['c']);
    expect(await board.read('one', 3)).toEqual([]);
    await Promise.all(Array.from({ length: 20 }, (_, index) => board.append('many', texts(`${index} first`, `${index} second`))));
    const many = await board.read('many', 0);
    expect(many).toHaveLength(40);
    for (const [place, entry] of many.entries())
      if (entry.endsWith('first')) expect(many[place + 1]).toBe(entry.replace('first', 'second'));
    expect(await ready.read('one', 0)).toEqual([]);
  });

  it('finds marked entries without reading other entries', async () => {
    const board = boardFor('marks');
    expect(await board.marked('one', 'life')).toEqual([]);
    await board.append('one', [{ text: 'a', mark: 'life' }, { text: 'b' }]);
    await board.append('one', [
      { text: 'c', mark: 'step' },
      { text: 'd', mark: 'life' },
    ]);
    expect(await board.marked('one', 'life')).toEqual([
      { place: 0, text: 'a' },
      { place: 3, text: 'd' },
    ]);
    expect(await board.marked('one', 'step')).toEqual([{ place: 2, text: 'c' }]);
    expect(await board.marked('two', 'life')).toEqual([]);
    await board.drop?.('one');
    expect([await board.marked('one', 'life'), await board.read('one', 0)]).toEqual([[], []]);
  });

  it('rejects entries of a process after another process has adopted the run', async () => {
    const board = boardFor('fence');
    const life = (text: string): BoardEntry[] => [{ text, mark: 'life' }];
    const [first, second] = [await board.append('one', life('first')), await board.append('one', life('second'))];
    await expect(board.append('one', texts('late', 'later'), first)).rejects.toMatchObject({ name: 'TakenOver' });
    expect(await board.append('one', texts('a'), second)).toBe(2);
    expect(await board.append('two', texts('b'), 0)).toBe(0);
    expect(await board.read('one', 0)).toEqual(['first', 'second', 'a']);
  });

  it('has one note per run, newest first', async () => {
    const board = boardFor('notes');
    for (const runId of ['one', 'two', 'three']) await board.pin(runId, `${runId} waits`);
    await board.pin('one', 'one waits again');
    await board.pin('two', undefined);
    await board.pin('four', undefined);
    expect(await board.pinned()).toEqual([
      { runId: 'one', note: 'one waits again' },
      { runId: 'three', note: 'three waits' },
    ]);
  });
});

it('the readers of a process share the queries of the database', async () => {
  const site = await sites.dbos();
  const engine = engineOf(site.specFor('tests'));
  const runs = engine.host({ id: 'readers', run: async (_durable, { input }) => `${input}!` });
  const runIds = Array.from({ length: 50 }, (_, index) => `run ${index}`);
  await Promise.all(runIds.map(async (runId) => runs.start({ runId, input: runId })));
  await Promise.all(runIds.map(async (runId) => runs.board?.append(runId, texts('a', runId))));
  const areEnded = async () =>
    (await Promise.all(runIds.map(async (runId) => runs.find(runId)))).every(({ kind }) => kind === 'ended');
  await expect.poll(areEnded, { timeout: 20_000 }).toBe(true);
  const queries = vi.spyOn(Client.prototype, 'query');
  const about = (word: string) => queries.mock.calls.filter((call) => JSON.stringify(call[0]).includes(word)).length;
  const found = await Promise.all([...runIds, 'absent'].map(async (runId) => runs.find(runId)));
  expect(found).toEqual([...runIds.map((runId) => ({ kind: 'ended', output: `${runId}!` })), { kind: 'absent' }]);
  expect(about('workflow_status')).toBe(1);
  const read = await Promise.all(runIds.map(async (runId, index) => runs.board?.read(runId, index % 3)));
  expect(read).toEqual(runIds.map((runId, index) => ['a', runId].slice(index % 3)));
  expect(about('interlock.board')).toBe(1);
  queries.mockRestore();
  await engine.close();
  await site.close();
});
