import { defineConfig } from 'vitest/config';

import { theRoom } from './rooms.js';
import { keepThreadsWarm } from './warm-threads.js';

const { tests, isStatic = false, testTimeoutMs = 5_000 } = theRoom();

export default defineConfig({
  plugins: isStatic ? [] : [keepThreadsWarm()], // what runs when a module is loaded has to be loaded
  test: {
    environment: 'node',
    include: [...tests],
    setupFiles: `${import.meta.dirname}/bounded.ts`,
    testTimeout: testTimeoutMs,
    isolate: false,
    fileParallelism: false,
  },
});
