import { globSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import * as guards from '../../workflows/guards/index.js';
import { inRoot } from './examples.js';

describe('the pages of the ready-made guards', () => {
  const text = globSync('docs/guide/{guards,guards/*}.md', { cwd: inRoot('.') })
    .map((page) => readFileSync(inRoot(page), 'utf8'))
    .join('\n');

  it.each([...guards.valueKinds, ...Object.keys(guards).filter((name) => name.endsWith('Guard'))])('name %s', (name) =>
    expect(text).toContain(`\`${name}\``),
  );
});

describe('docs/guide/risks.md', () => {
  const text = readFileSync(inRoot('docs/guide/risks.md'), 'utf8');

  it('names only exports of the package', () => {
    const named = Array.from(text.matchAll(/`(\w+)(?:\.(\w+))?`/g), ([, name = '', field]) => ({ name, field }));
    const exported = new Map<string, unknown>(Object.entries(guards));
    const wrong = named.filter(({ name, field }) => {
      const value = exported.get(name);
      return value === undefined || (field !== undefined && !Object.hasOwn(value as object, field));
    });
    expect(named.length).toBeGreaterThan(30);
    expect(wrong).toEqual([]);
  });
});
