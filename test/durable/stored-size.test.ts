import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { openWorkflow } from '../../src/durable/openworkflow/index.js';
import { worker } from '../../bench/durable/works.js';

it('a file stores at most 10 KB for each further tool step of a run, however long it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-size-'));
  const engine = openWorkflow({ path: join(folder, 'runs.db') });
  onTestFinished(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { storedBytes } = engine.host({ id: 'measure', run: async () => '' });
  const growth = async (toolCalls: number, runs: number): Promise<number> => {
    const work = worker({ name: `tools ${toolCalls}`, messages: 2, toolCalls }, engine);
    await work();
    const before = (await storedBytes?.()) ?? 0;
    for (let run = 0; run < runs; run += 1) await work();
    return (((await storedBytes?.()) ?? 0) - before) / runs;
  };
  const [short, long, longer] = [await growth(10, 4), await growth(40, 2), await growth(100, 1)];
  expect(short / 10).toBeLessThan(11_000); // with what the run itself needs
  expect((long - short) / 30).toBeLessThan(10_000);
  expect((longer - long) / 60).toBeLessThan(10_000);
});
