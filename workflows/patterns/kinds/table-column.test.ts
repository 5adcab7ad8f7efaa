import { expect, test } from 'vitest';
import { columnFinder } from './table-column.js';

/** Finds passwords, and counts the lines that it reads. */
const countingFinder = () => {
  let lines = 0;
  const hint = Object.assign(/password/, {
    test: (line: string) => {
      lines += 1;
      return line.includes('password');
    },
  });
  const finder = columnFinder({ hint, isLabel: (name) => name === 'password', read: (_text, { end }) => end });
  return { finder, lines: () => lines };
};

const row = 'one, two\n';
const rows = 400;
const text = `password, name\n${row.repeat(rows)}`;

test('a long text that is read in steps is read once', () => {
  const { finder, lines } = countingFinder();
  const step = 7 * row.length + 3;
  let found = 0;
  for (let at = 0; at < text.length; at += step) found += finder.find(text, at, Math.min(text.length, at + step)).length;
  expect(found).toBe(rows);
  expect(lines()).toBeLessThan(1.5 * rows);
});

test('a text that grows is read once', () => {
  const { finder, lines } = countingFinder();
  for (let end = 10; end < text.length; end += 10) finder.open(text.slice(0, end), 0);
  expect(lines()).toBeLessThan(1.5 * rows);
});

test('a line that is read again without the text before it is not judged again', () => {
  const { finder, lines } = countingFinder();
  const shown = Array.from({ length: 20 }, (_, index) => `word ${index}, two\n`).join('');
  finder.find(shown, 0);
  const judged = lines();
  finder.find(shown.slice(shown.indexOf('\n') + 1), 0);
  expect(judged).toBe(20);
  expect(lines()).toBe(judged);
});

test('a text with another beginning is read again', () => {
  const { finder } = countingFinder();
  expect(finder.find('password, name\none, two\n', 0)).toHaveLength(1);
  expect(finder.find('salutes!, name\none, two\n', 0)).toHaveLength(0);
});
