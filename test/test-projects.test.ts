import { globSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { separateSuites, testFiles, testProjects } from '../scripts/test-projects.js';

const read = (path: string): string => readFileSync(path, 'utf8');

describe('the vitest projects', () => {
  const projects = Object.entries(testProjects());

  it('contain each test file exactly once', () => {
    const all = projects.flatMap(([, files]) => files);
    expect(all.toSorted()).toEqual(testFiles());
    expect(new Set(all).size).toBe(all.length);
    for (const [name, files] of projects) expect(files, name).not.toEqual([]);
  });

  it('contain every test file of the repository that has no suite of its own', () => {
    const suites = separateSuites().map((name) => `test/${name}/`);
    const exclude = ['**/node_modules/**', 'dist/**', 'examples/*/**', 'test-output/**'];
    const everywhere = globSync('**/*.test.{ts,tsx}', { exclude });
    expect(everywhere.filter((path) => !suites.some((suite) => path.startsWith(suite))).toSorted()).toEqual(testFiles());
  });

  it('isolate only files that replace modules', () => {
    const mocking = projects.filter(([, files]) => files.some((path) => /^vi\.(mock|doMock)\(/m.test(read(path))));
    expect(mocking.map(([name]) => name)).toEqual(['isolated']);
  });

  it('start no child process in the unit project', () => {
    const starts = /^import .* from 'node:child_process'/m;
    const { unit } = testProjects();
    expect(unit.filter((path) => starts.test(read(path)))).toEqual([]);
  });
});

describe('a test that looks for a leak', () => {
  /** Whether a text may occur by chance in a random identifier or a time: it is short, and has only their characters. */
  const isChance = (text: string): boolean => /^[\da-f-]{2,6}$/.test(text);
  const absent = /(?:not\.(?:toMatch|toContain)|LEAK).*?['"/]([^'"/]+)['"/]|\/([^/]+)\/\.test\(.*LEAK/g;

  it('looks for a text that no random identifier holds', () => {
    expect(['4471', 'bad', '1-2'].every(isChance)).toBe(true);
    const found = [...testFiles(), ...globSync('test/{hosts,engines,apps,packages}/**/*.ts', { exclude: ['**/node_modules/**'] })]
      .flatMap((path) => [...read(path).matchAll(absent)].map(([, text, tested]) => ({ path, text: text ?? tested ?? '' })))
      .filter(({ text }) => text.split('|').some(isChance));
    expect(found).toEqual([]);
  });
});

describe('the suites with packages of their own', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

  it('include the hosts', () => expect(separateSuites()).toContain('hosts'));

  it.each(separateSuites())('%s has a script that installs its packages first', (name) => {
    expect(scripts[`pretest:${name}`]).toBe(`node scripts/setup.mjs test/${name}`);
    expect(scripts[`test:${name}`]).toContain(`--config test/${name}/vitest.config.ts`);
  });
});
