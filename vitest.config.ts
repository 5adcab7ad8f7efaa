import { defineConfig } from 'vitest/config';

import { testProjects } from './scripts/test-projects.js';

export default defineConfig({
  test: {
    environment: 'node',
    passWithNoTests: false,
    reporters: ['minimal'],
    silent: 'passed-only',
    maxWorkers: '100%',
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: Object.entries(testProjects()).map(([name, include]) => ({
      extends: true as const,
      test: { name, include, isolate: name === 'isolated' },
    })),
  },
});
