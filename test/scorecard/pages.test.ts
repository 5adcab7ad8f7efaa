import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { causeOf, programOf } from '../../scorecard/causes.js';
import { page, totalOf, type HostResult } from '../../scorecard/results.js';
import { scenarios } from '../../scorecard/scenarios/index.js';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const results = JSON.parse(read('scorecard/results.json')) as HostResult[];

describe('the scorecard of the repository', () => {
  it('matches the results', () => {
    const titles = new Map(scenarios.map(({ id, title }) => [id, title]));
    expect(read('docs/scorecard.md')).toBe(page(results, titles));
  });

  it('has the totals that README.md names', () => {
    const totals = new Map(results.map((host) => [host.name, totalOf(host)]));
    const named = read('README.md').match(/\d+ of \d+(?= scenarios| for)/g);
    const best = ['InterlockAgent', 'Mastra agent'].map((name) => totals.get(name)?.replace('/', ' of '));
    expect(named).toEqual(best);
  });

  it('has a result of every scenario on every host', () => {
    const ids = scenarios.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, cells } of results) expect([...new Set(cells.map(({ scenario }) => scenario))], name).toEqual(ids);
  });

  it('has a short program for every failure, and no result of a failed adapter', () => {
    const lengthOf = (file: string): number => read(`scorecard/${file}`).split('\n').length - 1;
    const wrong = results.flatMap(({ id, cells }) =>
      cells.flatMap(({ scenario, status }) => {
        if (status === 'error') return [`${id} ${scenario}: the adapter failed`];
        if (status !== 'fails') return [];
        const file = programOf(id, causeOf(id, scenario)?.id ?? '');
        if (!file) return [`${id} ${scenario}: no program`];
        return lengthOf(file) > 40 ? [`${file}: more than 40 lines`] : [];
      }),
    );
    expect([...new Set(wrong)]).toEqual([]);
  });
});
