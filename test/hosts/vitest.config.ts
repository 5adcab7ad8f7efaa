import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    dir: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: `${import.meta.dirname}/chromium.ts`,
    passWithNoTests: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } }, // by default one second, too short on a busy machine
    // Each file has its own servers or browser, which occupy a whole small machine.
    maxWorkers: 1,
    // Loading Mastra and the studio again for each file took a quarter of the time.
    isolate: false,
  },
});
