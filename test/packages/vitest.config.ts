import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    dir: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: `${import.meta.dirname}/pack.ts`,
    passWithNoTests: false,
    testTimeout: 300_000,
    hookTimeout: 600_000,
    // Two programs at a time, one per core of a small machine.
    maxWorkers: 1,
    maxConcurrency: 2,
  },
});
