import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** The classes with their own rule in a style file. */
const classesIn = (file: string): string[] => {
  const text = readFileSync(file, 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
  const selectors = [...text.matchAll(/([^{}]+)\{/g)].flatMap(([, list = '']) => list.split(','));
  return selectors.flatMap((selector) => /^\.([\w-]+)$/.exec(selector.trim())?.[1] ?? []);
};

it('defines each class in one file, as styles of previous pages stay loaded', () => {
  const files = globSync(join(import.meta.dirname, '**/*.css'), { exclude: (name) => name.includes('node_modules') });
  const homes = new Map<string, Set<string>>();
  for (const file of files) for (const name of classesIn(file)) homes.set(name, (homes.get(name) ?? new Set()).add(file));
  expect(homes.size).toBeGreaterThan(200);
  expect([...homes].filter(([, { size }]) => size > 1).map(([name, paths]) => [name, ...paths])).toEqual([]);
});
