import { configDefaults, defineConfig } from 'vitest/config';

import { suitesApart } from './scripts/suites-apart.js';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['{src,schemas,workflows,playground,test}/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...suitesApart().map((name) => `test/${name}/**`)],
    globalSetup: 'scripts/suites-apart.ts',
    passWithNoTests: false,
    testTimeout: 60_000,
    hookTimeout: 20_000,
  },
});
