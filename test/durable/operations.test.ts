import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe } from 'vitest';

import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { encrypted, memoryEngine } from '../../src/index.js';
import { operations } from './operations-suite.js';
import { rejections } from './rejections-suite.js';

describe('operating memory', () => {
  const engine = memoryEngine();
  operations({ engine: () => engine });
  rejections({ engine: () => engine });
});

describe.each(['plain', 'encrypted'])('operating a file (%s)', (kind) => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-operated-'));
  const file = openWorkflow({ path: join(folder, 'runs.db') });
  const engine = kind === 'plain' ? file : encrypted(file, { key: new Uint8Array(32) });
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  operations({ engine: () => engine });
  rejections({ engine: () => engine });
});
