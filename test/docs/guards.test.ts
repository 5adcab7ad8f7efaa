import { globSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import * as guards from '../../workflows/guards/index.js';
import { inRoot } from './examples.js';

const textOf = (page: string): string => readFileSync(inRoot(page), 'utf8');
const pages = globSync('docs/guide/guards/*.md', { cwd: inRoot('.') }).map(textOf);

const names = Object.keys(guards).filter((name) => name.endsWith('Guard'));

describe('the pages of the built-in guards', () => {
  const headings = pages.flatMap((text) => text.match(/^## .*$/gm) ?? []).join('\n');
  const overview = textOf('docs/guide/guards.md');

  it.each([...names, 'toolPolicy'])('have a section for %s, and the overview a row', (name) => {
    expect(headings).toMatch(new RegExp(String.raw`\b${name}\b`));
    expect(overview).toMatch(new RegExp(String.raw`^\| .*\`${name}\`.* \|$`, 'm'));
  });

  it.each(guards.valueKinds)('name the kind of values %s', (kind) => expect(pages.join('\n')).toContain(`\`${kind}\``));
});

describe('the table of docs/guide/guards.md', () => {
  it('has the CPU time of each guard', () => {
    const rows = textOf('docs/guide/guards.md').match(/^\| \[`\w+`[^\n]*/gm) ?? [];
    expect(rows.length).toBeGreaterThan(15);
    expect(rows.filter((row) => !/\| (?:[\d.]+ ms|that of its model) \|/.test(row))).toEqual([]);
  });
});

describe('the risks of docs/guide/guards.md', () => {
  const [, risks = ''] = textOf('docs/guide/guards.md').split('\n## Risks\n');

  it('name only exports of the package', () => {
    const named = Array.from(risks.matchAll(/`(\w+)(?:\.(\w+))?`/g), ([, name = '', field]) => ({ name, field }));
    const exported = new Map<string, unknown>(Object.entries(guards));
    const wrong = named.filter(({ name, field }) => {
      const value = exported.get(name);
      return value === undefined || (field !== undefined && !Object.hasOwn(value as object, field));
    });
    expect(named.length).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });
});
