import { expect, it } from 'vitest';
import { splitAuthored } from './split-authored.js';

const by = (text: string, name: string, author = 0) => ({ text, name, author });
const piecesOf = (text: string, ...words: ReturnType<typeof by>[]) =>
  splitAuthored(text, words).map((piece) => (piece.by ? [piece.text, piece.by.name] : piece.text));

it('marks the words of each guard, and nothing else', () => {
  expect(piecesOf('Write to [MAIL] or [PHONE].', by('[PHONE]', 'phones', 1), by('[MAIL]', 'mails'))).toEqual([
    'Write to ',
    ['[MAIL]', 'mails'],
    ' or ',
    ['[PHONE]', 'phones'],
    '.',
  ]);
  expect(piecesOf('[MAIL] and [MAIL]', by('[MAIL]', 'mails'))).toEqual([['[MAIL]', 'mails'], ' and ', ['[MAIL]', 'mails']]);
  expect(piecesOf('It stays.', by('', 'none'), by('gone', 'other'))).toEqual(['It stays.']);
});

it('prefers the longest words at a place', () => {
  expect(piecesOf('[MAIL] [MAIL 2]', by('[MAIL', 'short'), by('[MAIL 2]', 'long'))).toEqual([
    ['[MAIL', 'short'],
    '] ',
    ['[MAIL 2]', 'long'],
  ]);
});
