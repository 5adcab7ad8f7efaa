import { describe, expect, it } from 'vitest';

import { joinWords } from './join-words.js';

const words = (text: string, more: object = {}, inside: object = {}) => ({
  type: 'text-delta',
  runId: 'r',
  ...more,
  payload: { id: 'a', text, ...inside },
});

it('joins consecutive deltas of a text, and keeps other chunks', () => {
  const chunks = [words('I '), words('am '), words('here.'), { type: 'text-end', payload: { id: 'a' } }, words('Still.')];
  expect(joinWords(chunks)).toEqual([words('I am here.'), { type: 'text-end', payload: { id: 'a' } }, words('Still.')]);
  expect(joinWords([])).toEqual([]);
});

it('ignores fields without a value', () => {
  const unset = words('a', { metadata: undefined }, { providerMetadata: undefined });
  expect(joinWords([unset, words('b')])).toEqual([words('ab')]);
});

describe('does not join', () => {
  const cases: Record<string, readonly unknown[]> = {
    'deltas of two texts': [words('a'), words('b', {}, { id: 'b' })],
    'text and reasoning of the same id': [words('a'), words('b', { type: 'reasoning-delta' })],
    'reasoning and text of the same id': [words('a', { type: 'reasoning-delta' }), words('b')],
    'deltas of two runs': [words('a'), words('b', { runId: 'other' })],
    'deltas of the agent and of the user': [words('a', { from: 'AGENT' }), words('b', { from: 'USER' })],
    'a delta with provider metadata': [words('a'), words('b', {}, { providerMetadata: { signed: true } }), words('c')],
    'a delta with metadata': [words('a'), words('b', { metadata: { seen: true } }), words('c')],
    'a delta of a tool call': [words('a'), { ...words('b'), type: 'tool-call-delta' }, words('c')],
    'a delta without text': [words('a'), words('b', {}, { text: undefined }), { type: 'text-delta' }, words('c')],
    'values that are not chunks': [words('a'), null, undefined, 'text', words('b')],
  };
  it.each(Object.entries(cases))('%s', (_, chunks) => {
    expect(joinWords(chunks)).toEqual(chunks);
  });
});
