import { describe, expect, it } from 'vitest';

import { joinWords } from './join-words.js';

const words = (text: string, more: object = {}, inside: object = {}) => ({
  type: 'text-delta',
  runId: 'r',
  ...more,
  payload: { id: 'a', text, ...inside },
});

it('makes one piece of those that follow each other, and leaves the rest of them as it was', () => {
  const chunks = [words('I '), words('am '), words('here.'), { type: 'text-end', payload: { id: 'a' } }, words('Still.')];
  expect(joinWords(chunks)).toEqual([words('I am here.'), { type: 'text-end', payload: { id: 'a' } }, words('Still.')]);
  expect(joinWords([])).toEqual([]);
});

it('fields without a value say nothing more', () => {
  const unset = words('a', { metadata: undefined }, { providerMetadata: undefined });
  expect(joinWords([unset, words('b')])).toEqual([words('ab')]);
});

describe('leaves apart', () => {
  const cases: Record<string, readonly unknown[]> = {
    'two texts': [words('a'), words('b', {}, { id: 'b' })],
    'a text and a thought of the same id': [words('a'), words('b', { type: 'reasoning-delta' })],
    'a thought and a text of the same id': [words('a', { type: 'reasoning-delta' }), words('b')],
    'two runs': [words('a'), words('b', { runId: 'other' })],
    'the agent and somebody else': [words('a', { from: 'AGENT' }), words('b', { from: 'USER' })],
    'what is more than words': [words('a'), words('b', {}, { providerMetadata: { signed: true } }), words('c')],
    'what says something beside its words': [words('a'), words('b', { metadata: { seen: true } }), words('c')],
    'what only looks like words': [words('a'), { ...words('b'), type: 'tool-call-delta' }, words('c')],
    'words without a text': [words('a'), words('b', {}, { text: undefined }), { type: 'text-delta' }, words('c')],
    'no chunks at all': [words('a'), null, undefined, 'text', words('b')],
  };
  it.each(Object.entries(cases))('%s', (_, chunks) => {
    expect(joinWords(chunks)).toEqual(chunks);
  });
});
