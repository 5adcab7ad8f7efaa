import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Board, Engine, Program } from '../../src/index.js';
import { engineOf } from './engine-spec.js';
import { sites, type Site } from './sites.js';

/** A program whose runs are never begun: its board is all that is asked for. */
const program = (id: string): Program => ({ id, run: async () => '' });

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

  it('gives entries in their order, from any place on, without gaps, whoever adds them', async () => {
    const board = boardFor('entries');
    const ready = boardFor('others');
    expect(await ready.read('one', 0)).toEqual([]);
    expect(await board.append('one', ['a', 'b'])).toBe(0);
    expect(await board.append('one', ['c'])).toBe(2);
    await board.append('two', ['x']);
    expect(await board.read('one', 0)).toEqual(['a', 'b', 'c']);
    expect(await board.read('one', 2)).toEqual(['c']);
    expect(await board.read('one', 3)).toEqual([]);
    await Promise.all(Array.from({ length: 20 }, (_, index) => board.append('many', [`${index} first`, `${index} second`])));
    const many = await board.read('many', 0);
    expect(many).toHaveLength(40);
    for (const [place, entry] of many.entries())
      if (entry.endsWith('first')) expect(many[place + 1]).toBe(entry.replace('first', 'second'));
    expect(await ready.read('one', 0)).toEqual([]);
  });

  it('has one note up for a run, the last one first', async () => {
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
