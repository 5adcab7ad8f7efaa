import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    dir: import.meta.dirname,
    include: ['**/*.test.ts'],
    passWithNoTests: false,
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // Each file has its own servers, and kills them.
    maxWorkers: 1,
  },
});
