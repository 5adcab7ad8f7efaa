import { defineConfig } from 'vitest/config';

import { rooms } from './rooms.mjs';

// oxlint-disable-next-line import/no-default-export -- vitest reads it so.
export default defineConfig({
  test: {
    environment: 'node',
    include: rooms[process.env.ROOM ?? 'pipeline'],
    setupFiles: `${import.meta.dirname}/bounded-properties.ts`,
    testTimeout: 60_000,
    isolate: false,
    fileParallelism: false,
    pool: 'threads',
  },
});
