import { join } from 'node:path';

import { defineConfig } from 'vitest/config';

import { testProjects } from './scripts/test-projects.js';

// Test processes, and the programs that tests start, share the compiled code of packages.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node');

export default defineConfig({
  test: {
    environment: 'node',
    passWithNoTests: false,
    reporters: ['minimal'],
    silent: 'passed-only',
    execArgv: ['--no-warnings'], // warnings of the AI SDK and of Node's SQLite, which tests cause on purpose
    maxWorkers: '100%',
    setupFiles: ['test/leave-no-trace.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } }, // by default one second, too short on a busy machine
    projects: Object.entries(testProjects()).map(([name, include]) => ({
      extends: true as const,
      test: { name, include, isolate: name.endsWith('isolated') },
    })),
  },
});
