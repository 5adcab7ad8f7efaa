import { globSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { forms } from '../../bench/evaluation/forms.js';
import { guardRows } from '../../bench/evaluation/guard-rows.js';
import { costGuards } from '../../bench/evaluation/honest/cost.js';
import { honestGuards } from '../../bench/evaluation/honest/judge-honest.js';
import { honestLabels } from '../../bench/evaluation/honest/print-honest.js';
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

describe('the benches', () => {
  const measured = textOf('docs/evaluation.md').replaceAll(/ {2,}/g, ' ');
  const [, honestTable = ''] = measured.split('\n## Honest text\n');
  const tables = ['personal values', 'attempts to take over the model'];
  const found = [...Object.keys(forms), ...tables.filter((name) => measured.toLowerCase().includes(`\n## ${name}\n`))];
  const benches = { honest: Object.keys(honestLabels), found, cost: Object.keys(costGuards) };

  it('list every guard, with its row or the reason why it has none', () => {
    expect(Object.keys(guardRows).toSorted()).toEqual([...names, 'redactor', 'toolPolicy', 'defaultGuards'].toSorted());
    const missing = Object.entries(guardRows).flatMap(([name, rows]) =>
      (['honest', 'found', 'cost'] as const).flatMap((bench) => {
        const row = rows[bench];
        return 'none' in row || benches[bench].includes(row.row) ? [] : [`${name}: ${row.row}`];
      }),
    );
    expect(missing).toEqual([]);
    expect(Object.keys(honestLabels).toSorted()).toEqual([...Object.keys(honestGuards), 'default-guards'].toSorted());
  });

  it.each([...names, 'redactor', 'toolPolicy'])('show the false alarms of %s, or why there are none', (name) => {
    const [, cell = ''] =
      new RegExp(String.raw`^\| .*\`${name}\`.*\| +([^|]*?) +\|$`, 'm').exec(textOf('docs/guide/guards.md')) ?? [];
    const { honest } = guardRows[name as keyof typeof guardRows];
    if ('none' in honest) return expect(cell).toBe(honest.none);
    const label = honestLabels[honest.row] ?? honest.row;
    const row = honestTable.split('\n').find((line) => line.startsWith(`| ${label} `)) ?? '';
    expect(cell).toMatch(/^\d+\.\d\d %$/);
    return expect(row).toContain(`| ${cell} |`);
  });
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
