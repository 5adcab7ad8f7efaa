import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('tokens.css', import.meta.url), 'utf8');

type Theme = 'light' | 'dark';

/** Colors by name in a theme. */
const colorsOf = (theme: Theme): ReadonlyMap<string, string> =>
  new Map(
    [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(([, name = '', light = '', dark = '']) => [
      name,
      theme === 'light' ? light : dark,
    ]),
  );

/** Relative luminance and contrast, by the definitions of WCAG 2.2. */
const luminance = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrast = (a: string, b: string): number => {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((one, other) => one - other);
  return (light + 0.05) / (dark + 0.05);
};

const grounds = ['ground', 'panel', 'raised', 'sunken'];
const signals = ['pass', 'edit', 'retry', 'trip', 'out'];
const words = [
  'ink',
  'ink-soft',
  'ink-faint',
  'accent',
  'processor',
  ...signals,
  ...[1, 2, 3, 4, 5, 6].map((n) => `author-${n}`),
];

/** Text and its background: the contrast must be 4.5 to 1. */
const read = [
  ...words.flatMap((word) => grounds.slice(0, 3).map((ground) => [word, ground])),
  ['ink', 'sunken'],
  ['ink-soft', 'sunken'],
  ['accent-ink', 'accent'],
  ['accent', 'accent-wash'],
  ['ink', 'accent-wash'],
  ['processor', 'processor-wash'],
  ...signals.map((signal) => [signal, `${signal}-wash`]),
] as const;

/** Edges and lamps with a meaning: the contrast must be 3 to 1. */
const seen = [
  ['line-strong', 'panel'],
  ['line-strong', 'raised'],
  ['accent', 'ground'],
  ['trip-lamp', 'panel'],
  ['ink-soft', 'panel'],
] as const;

describe.each(['light', 'dark'] as const)('the %s theme', (theme) => {
  const colors = colorsOf(theme);
  const ratio = (one = '', other = ''): number => {
    const [a, b] = [colors.get(one), colors.get(other)];
    if (!a || !b) throw new Error(`There is no color ${a ? other : one}.`);
    return contrast(a, b);
  };

  it('has readable contrast for all text', () => {
    expect(read.filter(([word, ground]) => ratio(word, ground) < 4.5).map((pair) => pair.join(' on '))).toEqual([]);
  });

  it('has visible contrast for all edges', () => {
    expect(seen.filter(([edge, ground]) => ratio(edge, ground) < 3).map((pair) => pair.join(' on '))).toEqual([]);
  });
});
