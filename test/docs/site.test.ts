import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sectionsOf } from '../../site/pages.js';
import { inRoot } from './examples.js';

const pages = sectionsOf(inRoot('docs')).flatMap((section) => section.pages);

it('the documentation site links every page once', () => {
  const written = globSync('{*,guide/**/*,reference/*}.md', { cwd: inRoot('docs') }).filter((path) => path !== 'README.md');
  expect(pages.map(({ path }) => path).toSorted()).toEqual(written.toSorted());
  expect(pages.filter(({ about }) => about === '')).toEqual([]);
});
