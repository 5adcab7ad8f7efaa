import { globSync, readFileSync } from 'node:fs';

/**
 * What `npm test` leaves out: the folders of `test/` with packages of their own, heavy hosts that a fresh clone should not have to
 * fetch. The suites of `test/NAME` are run by `npm run test:NAME`, and by `.ci/run`.
 */
export const suitesApart = (): readonly string[] =>
  globSync('test/*/package.json')
    .map((path) => path.split(/[/\\]/)[1] ?? path)
    .toSorted();

const describeSuite = (name: string): string => {
  const { description } = JSON.parse(readFileSync(`test/${name}/package.json`, 'utf8')) as { description: string };
  return `not in this run: test/${name} (${description}); run it with: npm run test:${name}\n`;
};

/** Called by vitest after the last test: says what was left out. To stderr, for reporters own stdout. */
export const teardown = (): void => {
  process.stderr.write(`\n${suitesApart().map(describeSuite).join('')}`);
};
