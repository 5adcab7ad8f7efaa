import { readFileSync } from 'node:fs';

import { defineConfig } from 'vitest/config';

import { promiseMutations } from './promise-mutations.js';

const mutation = promiseMutations.find(({ promise }) => promise === process.env['MUTATION']);
if (!mutation) throw new Error('MUTATION names no promise.');
const { file, from, to } = mutation;
const mutated = (code: string): string => {
  if (code.split(from).length !== 2) throw new Error(`${file} does not contain this exactly once: ${from}`);
  return code.replace(from, () => to);
};
mutated(readFileSync(file, 'utf8'));

/** The tests of one promise, against sources with one change. No file is written. */
export default defineConfig({
  plugins: [
    {
      name: 'mutate',
      enforce: 'pre',
      transform: (code: string, id: string) => (id.endsWith(`/${file}`) ? mutated(code) : undefined),
    },
  ],
  test: { include: [...mutation.tests], isolate: false, fsModuleCache: false, testTimeout: 120_000, bail: 1 },
});
