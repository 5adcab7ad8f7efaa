import { globSync, readFileSync } from 'node:fs';

import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';

import { separateSuites, testFiles, testProjects } from '../scripts/test-projects.js';

const everyTest = (): string[] =>
  globSync('**/*.test.{ts,tsx}', { exclude: ['**/node_modules/**', 'dist/**', 'examples/*/**', 'test-output/**'] });
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
    expect(
      everyTest()
        .filter((path) => !suites.some((suite) => path.startsWith(suite)))
        .toSorted(),
    ).toEqual(testFiles());
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

it('no test waits with the limit of vi.waitFor, one second, which is too short on a busy machine', () => {
  const limits: string[] = [];
  for (const path of everyTest().filter((name) => read(name).includes('vi.waitFor(')))
    new Visitor({
      CallExpression: ({ callee, arguments: given, start }) => {
        if (callee.type !== 'MemberExpression' || !('name' in callee.property) || callee.property.name !== 'waitFor') return;
        if ('name' in callee.object && callee.object.name === 'vi') limits.push(given[1] ? 'own' : `${path}:${start}`);
      },
    }).visit(parseSync(path, read(path)).program);
  expect(new Set(limits)).toEqual(new Set(['own']));
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
