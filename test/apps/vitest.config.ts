import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    dir: import.meta.dirname,
    include: ['**/*.test.ts'],
    passWithNoTests: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: '100%',
    isolate: false,
    execArgv: ['--no-warnings'],
  },
});
