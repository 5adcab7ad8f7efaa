import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { isDeep } from '../modes.js';

/** Memory that varies independently of the gate, such as compiled code. */
const slackBytes = 1_000_000;

/** `npm run fuzz` sends a million. */
const deltas = isDeep ? 1_000_000 : 100_000;

it(`the windows limit the memory of the gate, over ${deltas} deltas`, async () => {
  const args = [
    '--expose-gc',
    '--import',
    './scripts/strip-types.mjs',
    new URL('million-deltas.ts', import.meta.url).pathname,
    String(deltas),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { heapBytes, released } = JSON.parse(stdout) as { heapBytes: number[]; released: number };
  expect(released).toBeGreaterThan(3 * deltas);
  const [first = 0, ...later] = heapBytes;
  for (const bytes of later) expect(bytes - first).toBeLessThan(slackBytes);
}, 600_000);
