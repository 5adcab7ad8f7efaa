import { matchesGlob, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

import { theModule } from './modules.js';
import { keepThreadsWarm } from './warm-threads.js';

const { tests, isStatic = false, testTimeoutMs = 3_000 } = theModule();

const placeOf = ({ moduleId }: TestSpecification): number =>
  tests.findIndex((pattern) => matchesGlob(relative(process.cwd(), moduleId), pattern));

/** In the module's order of its tests: nothing runs after the first failure. */
class AsListed extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    return files.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  plugins: isStatic ? [] : [keepThreadsWarm()], // changes to load-time code need a fresh load
  test: {
    environment: 'node',
    include: [...tests],
    setupFiles: `${import.meta.dirname}/bounded.ts`,
    testTimeout: testTimeoutMs,
    isolate: false,
    fileParallelism: false,
    sequence: { sequencer: AsListed },
  },
});
