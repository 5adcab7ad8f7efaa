import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { mapSaid, mapTexts } from './map-texts.js';

const shout = (text: string) => text.toUpperCase();

it('texts, names of fields and numbers of plain data are changed, and nothing of other things', () => {
  const date = new Date();
  expect(mapTexts({ a: ['b', date, null], c: { d: 1 } }, shout)).toEqual({ A: ['B', date, null], C: { D: 1 } });
  expect(mapTexts({ n: 12 }, (text) => text.replace('12', 'x'))).toEqual({ n: 'x' });
});

it('no field is lost where names become the same', () => {
  const hide = (text: string) => text.replaceAll(/[a-z]@b/g, '[X]');
  expect(mapTexts({ 'a@b': 1, 'c@b': 2, '[X] 2': 3, 'd@b': 4 }, hide)).toEqual({
    '[X]': 1,
    '[X] 2': 2,
    '[X] 2 2': 3,
    '[X] 3': 4,
  });
});

it('what an error says is changed, and what it carries is left behind', () => {
  const error = Object.assign(new TypeError('No a@b.'), { detail: 'a@b', cause: 'a@b' });
  const changed = mapTexts({ error }, (text) => text.replaceAll('a@b', 'X')) as { error: Error };
  expect(changed.error).toBeInstanceOf(Error);
  expect([changed.error.name, changed.error.message]).toEqual(['TypeError', 'No X.']);
  expect(inspect(changed)).not.toContain('a@b');
  expect(mapTexts(error, (text) => text)).toBe(error);
});

it('where nothing changes, the data is the same', () => {
  const data = { a: ['b', { c: 1 }] };
  expect([mapTexts(data, (text) => text), mapSaid(data, (text) => text)]).toEqual([data, data]);
  expect(mapTexts(data, (text) => text)).toBe(data);
  expect(mapSaid(data, (text) => text)).toBe(data);
});

it('of the host’s data what is said is changed, also in instances, and what is there twice', () => {
  class Step {
    readonly text = 'said';
    readonly type = 'text';
  }
  const step = new Step();
  expect(mapSaid({ type: 'a', steps: [step, step], usage: 1, at: null }, shout)).toEqual({
    type: 'a',
    steps: Array.from({ length: 2 }, () => ({ text: 'SAID', type: 'text' })),
    usage: 1,
    at: null,
  });
});

it('data that leads back to itself is gone through once', () => {
  const circle: Record<string, unknown> = { text: 'said' };
  circle['self'] = circle;
  expect(mapSaid(circle, shout)).toMatchObject({ text: 'SAID' });
});
