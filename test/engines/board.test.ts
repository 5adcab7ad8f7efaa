import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import type { BoardEntry, Durable, Engine, Program } from '../../src/engine.js';
import { engineOf } from './engine-spec.js';
import { sites, type Site } from './sites.js';

type Act = (durable: Durable) => Promise<unknown>;

const texts = (...given: readonly string[]): BoardEntry[] => given.map((text) => ({ text }));
const life = (text: string): BoardEntry[] => [{ text, mark: 'life' }];

describe.each(['restate', 'dbos'] as const)('the records of %s', (name) => {
  let site: Site;
  let engine: Engine;
  /** A program whose runs are functions. */
  const programFor = (id: string) => {
    const acts = new Map<string, Act>();
    const run: Program['run'] = async (durable, { runId }) => String(await acts.get(runId)?.(durable));
    const runs = engine.host({ id, run });
    const start = async (runId: string, act: Act): Promise<void> => {
      acts.set(runId, act);
      await runs.start({ runId, input: '' });
    };
    const isOver = async (runId: string) => (await runs.find(runId)).kind === 'ended';
    return {
      board: runs.board,
      start,
      run: async (runId: string, act: Act) => {
        await start(runId, act);
        await expect.poll(() => isOver(runId), { timeout: 20_000 }).toBe(true);
      },
    };
  };

  beforeAll(async () => {
    site = await sites[name]();
    engine = engineOf(site.specFor('tests'));
  });
  afterAll(async () => {
    await engine.close();
    await site.close();
  });

  it('are read in order, from any position, without gaps; none is stored twice', async () => {
    const { board, run } = programFor('records');
    expect(await board.read('one', 0)).toEqual([]);
    await run('0:one', async (durable) => {
      expect(await durable.publish({ runId: 'one', entries: life('start') })).toBe(0);
      await durable.publish({ runId: 'one', at: 1, entries: texts('a', 'b') });
      await durable.publish({ runId: 'one', at: 1, entries: texts('a', 'b') }); // its answer was lost
      await durable.publish({ runId: 'two', entries: life('x') });
      const text = await durable.step(
        'section',
        async () => 'kept',
        () => ({ runId: 'one', at: 2, entries: [...texts('b'), { text: 'c', mark: 'step' }] }),
      );
      expect(text).toBe('kept');
      await durable.publish({ runId: 'one', at: 4, entries: texts('d') });
    });
    await run('1:one', async (durable) => {
      expect(await durable.publish({ runId: 'one', entries: life('again') })).toBe(5);
    });
    expect(await board.read('one', 0)).toEqual(['start', 'a', 'b', 'c', 'd', 'again']);
    expect(await board.read('one', 4)).toEqual(['d', 'again']);
    expect(await board.read('one', 6)).toEqual([]);
    expect(await board.read('two', 0)).toEqual(['x']);
    expect(await board.marked('one', 'life')).toEqual([
      { place: 0, text: 'start' },
      { place: 5, text: 'again' },
    ]);
    expect(await board.marked('one', 'step')).toEqual([{ place: 3, text: 'c' }]);
    await board.drop?.('one');
    expect([await board.marked('one', 'life'), await board.read('one', 0)]).toEqual([[], []]);
  });

  it('has one note per run, newest first', async () => {
    const { board } = programFor('notes');
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
  const publishing: Program['run'] = async (durable, { input }) => {
    await durable.publish({ runId: input, entries: texts('a', input) });
    return `${input}!`;
  };
  const runs = engine.host({ id: 'readers', run: publishing });
  const runIds = Array.from({ length: 50 }, (_, index) => `run ${index}`);
  await Promise.all(runIds.map(async (runId) => runs.start({ runId, input: runId })));
  const areEnded = async () =>
    (await Promise.all(runIds.map(async (runId) => runs.find(runId)))).every(({ kind }) => kind === 'ended');
  await expect.poll(areEnded, { timeout: 20_000 }).toBe(true);
  const queries = vi.spyOn(Client.prototype, 'query');
  const about = (word: string) => queries.mock.calls.filter((call) => JSON.stringify(call[0]).includes(word)).length;
  const found = await Promise.all([...runIds, 'absent'].map(async (runId) => runs.find(runId)));
  expect(found).toEqual([...runIds.map((runId) => ({ kind: 'ended', output: `${runId}!` })), { kind: 'absent' }]);
  expect(about('workflow_status')).toBe(1);
  const read = await Promise.all(runIds.map(async (runId, index) => runs.board.read(runId, index % 3)));
  expect(read).toEqual(runIds.map((runId, index) => ['a', runId].slice(index % 3)));
  expect(about('interlock.board')).toBe(1);
  queries.mockRestore();
  await engine.close();
  await site.close();
});
