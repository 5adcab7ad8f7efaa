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

test('a line without a label is not read outside of a table', () => {
  const { finder, lines } = countingFinder();
  finder.find('word, two\n'.repeat(20), 0);
  expect(lines()).toBe(0);
});

test('a text whose beginning was emitted is not read again', () => {
  const { finder, lines } = countingFinder();
  let shown = text;
  finder.open(shown, 0);
  expect(finder.find(shown, 0)).toHaveLength(rows);
  const read = lines();
  for (let more = 0; more < 20; more += 1) {
    shown = `${finder.stateOf?.(shown.slice(0, 15 * row.length + 4))}${shown.slice(15 * row.length + 4)}${row.repeat(10)}`;
    expect(finder.open(shown, shown.length)).toBe(shown.length);
    expect(finder.find(shown, shown.length - 10 * row.length)).toHaveLength(10);
  }
  expect(lines() - read).toBeLessThan(2 * 20 * 30);
});

test('a text with another beginning is read again', () => {
  const { finder } = countingFinder();
  expect(finder.find('password, name\none, two\n', 0)).toHaveLength(1);
  expect(finder.find('salutes!, name\none, two\n', 0)).toHaveLength(0);
});
