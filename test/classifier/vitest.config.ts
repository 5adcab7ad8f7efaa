import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    dir: import.meta.dirname,
    include: ['**/*.test.ts'],
    passWithNoTests: false,
    pool: 'forks', // a test changes the working directory
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
