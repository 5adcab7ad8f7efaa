import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { homeOf } from '../../site/home.js';
import { sectionsOf } from '../../site/pages.js';
import { inRoot } from './examples.js';

const pages = sectionsOf(inRoot('docs')).flatMap((section) => section.pages);

it('the documentation site links every page once', () => {
  const written = globSync('{*,guide/**/*,reference/*}.md', { cwd: inRoot('docs') }).filter((path) => path !== 'README.md');
  expect(pages.map(({ path }) => path).toSorted()).toEqual(written.toSorted());
  expect(pages.filter(({ about }) => about === '')).toEqual([]);
});

it('the home page has the first screen of the README, its program as a diff, and the table of contents', () => {
  const [readme = '', contents = ''] = ['README.md', 'docs/README.md'].map((page) => readFileSync(inRoot(page), 'utf8'));
  const home = homeOf(readme, contents);
  expect(home).toMatch(/^---\n\{\n {2}"layout": "home"/);
  expect(home).toContain("import { Agent } from '@mastra/core/agent'; // [!code --]");
  expect(home.match(/\[!code \+\+\]/g)).toHaveLength(4);
  for (const part of ['when a guard says no', '](./pictures/', '<LivePipeline />', '## Guides']) expect(home).toContain(part);
  expect(() => homeOf('# Interlock', contents)).toThrow('The home page needs');
});
