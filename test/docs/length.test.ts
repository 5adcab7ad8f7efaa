import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sectionsOf } from '../../site/pages.js';
import { inRoot } from './examples.js';

/** Words of a page, code included; the lines of a table are not words. */
const wordsIn = (text: string): number => text.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;

const longer = (pattern: string, most: number): string[] =>
  globSync(pattern, { cwd: inRoot('.') })
    .map((page) => ({ page, words: wordsIn(readFileSync(inRoot(page), 'utf8')) }))
    .filter(({ words }) => words > most)
    .map(
      ({ page, words }) => `${page}: ${words} words, at most ${most}; split it by question, or delete what another page covers`,
    );

describe('the length of pages', () => {
  it('counts words, not punctuation', () => expect(wordsIn('| a | `b` |\n| --- | --- |\n| c d | |')).toBe(4));

  it('all pages outside Evidence together have at most 40,000 words', () => {
    const pages = sectionsOf(inRoot('docs')).flatMap(({ title, pages: own }) => (title === 'Evidence' ? [] : own));
    const words = pages.map(({ path }) => wordsIn(readFileSync(inRoot(`docs/${path}`), 'utf8')));
    expect(words.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(40_000);
  });

  it('a guide has at most 2,000 words', () => expect(longer('docs/guide/*.md', 2000)).toEqual([]));

  it('a page of guards has at most 2,000 words, their reference 2,600', () => {
    expect(longer('docs/guide/guards/!(reference).md', 2000)).toEqual([]);
    expect(longer('docs/guide/guards/reference.md', 2600)).toEqual([]);
  });
});
