import { execFileSync } from 'node:child_process';
import { describe, vi } from 'vitest';

/** The module that the build puts in the place of `own-facts.ts`. */
const built = vi.hoisted(() => async () => {
  const print = "import { factsModule } from './scripts/facts-table.ts'; process.stdout.write(await factsModule())";
  const node = ['--import', './scripts/strip-types.mjs', '--input-type=module', '--eval', print];
  const code = execFileSync(process.execPath, node, { encoding: 'utf8' });
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as object;
});
vi.mock('./own-facts.js', () => built());

describe('with the facts that the build derives', async () => {
  await import('./finders.test.js');
  await import('./kinds/national-id.test.js');
  await import('../unicode/unicode-finders.test.js');
});
