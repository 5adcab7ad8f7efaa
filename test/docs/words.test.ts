import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorTable } from '../../src/index.js';
import { inRoot } from './examples.js';

/** Words that hide the noun or the verb of a sentence, and what to write instead. */
const discouraged: Readonly<Record<string, string>> = {
  who: 'name the role: the caller, the user, the process',
  whom: 'name the role',
  whoever: 'name the role',
  nobody: 'use the passive, or "no" and a noun',
  somebody: 'name the role',
  told: 'gets, is reported, is listed',
  stands: 'is, is in',
  begun: 'started',
  beside: 'next to, during, in parallel with, compared with',
};

const pages = globSync(['*.md', 'docs/*.md', 'docs/{guide,reference}/**/*.md', 'examples/{,*/}README.md', '.github/**/*.md'], {
  cwd: inRoot('.'),
}).map((path) => path.replaceAll('\\', '/'));

/** Sentences without code, and without the targets of links. */
const proseOf = (text: string): string =>
  text
    .replaceAll(/^```[^]*?^```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, '')
    .replaceAll(/\]\([^)]*\)/g, ']');

const wordsIn = (text: string): string[] =>
  Object.entries(discouraged).flatMap(([word, instead]) =>
    Array.from(
      proseOf(text).matchAll(new RegExp(`.{0,40}\\b${word}\\b.{0,40}`, 'gi')),
      ([found]) => `${found.trim()} (${word}: ${instead})`,
    ),
  );

describe('plain English', () => {
  it('finds a discouraged word in prose, and not in code or in the target of a link', () => {
    expect(wordsIn('It is told to [them](told.md), `told`.')).toEqual([
      'It is told to [them], . (told: gets, is reported, is listed)',
    ]);
  });

  it.each(pages)('%s', (page) => {
    expect(wordsIn(readFileSync(inRoot(page), 'utf8'))).toEqual([]);
  });

  it('the table of errors', () => {
    expect(Object.entries(errorTable).flatMap(([code, { say }]) => wordsIn(say).map((found) => `${code}: ${found}`))).toEqual([]);
  });
});
