import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { afterAll, expect, it } from 'vitest';

import * as library from '../../src/replay.js';
import { makeAgent } from '../mastra/support.js';

const folder = join(import.meta.dirname, '../../test-output/fixture');
mkdirSync(folder, { recursive: true });
afterAll(() => rmSync(folder, { recursive: true }));

/** A module with the guards of a recorded run; with another word it forbids another text. */
const guardsModule = (word: string): string => `
export const guards = { outputProcessors: [{ id: 'forbids', processOutputStep: ({ text = '', abort, messages }) =>
  text.includes('${word}') ? abort('no codes') : messages }] };`;

const runFixtures = () =>
  spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test-output/fixture/vitest.config.mjs'], {
    cwd: join(folder, '../..'),
    encoding: 'utf8',
  });

const { collectTraces, formatTrace, toFixture } = library;

it('a fixture passes with the same guards and fails with others', async () => {
  const recording = collectTraces();
  const { agent } = makeAgent([{ text: 'The code\u2028 is 4711, `${or}` "so".' }], {
    outputProcessors: [
      {
        id: 'forbids',
        processOutputStep: ({ text = '', abort, messages }) => (text.includes('4711') ? abort('no codes') : messages),
      },
    ],
  });
  await agent.generate('What is the "code"?', { record: recording.record });
  const options = { name: 'guards', library: '../../src/replay.js' };
  writeFileSync(join(folder, 'vitest.config.mjs'), `export default { test: { include: ['test-output/fixture/*.test.ts'] } };`);
  writeFileSync(join(folder, 'same.mjs'), guardsModule('4711'));
  writeFileSync(join(folder, 'other.mjs'), guardsModule('1234'));
  writeFileSync(join(folder, 'same.test.ts'), toFixture(recording.trace, { ...options, from: './same.mjs' }));
  writeFileSync(join(folder, 'other.test.ts'), toFixture(recording.trace, { ...options, from: './other.mjs' }));
  const short = toFixture(recording.trace, { ...options, from: './same.mjs', trace: './run.jsonl' });
  expect(short.split('\n').length).toBeLessThan(80);
  expect(short).toContain('"outputStep forbids: trip"');
  writeFileSync(join(folder, 'run.jsonl'), formatTrace(recording.trace));
  writeFileSync(join(folder, 'short.test.ts'), short);
  const imported = /^import \{ (.*) \} from "mastra-interlock\/replay";$/m.exec(
    toFixture(recording.trace, { from: './same.mjs' }),
  );
  expect(Object.keys(library)).toEqual(expect.arrayContaining(imported?.[1]?.split(', ') ?? ['an import of the library']));
  const { status, ...ran } = runFixtures();
  const stdout = stripVTControlCharacters(ran.stdout);
  expect(stdout).toContain('1 failed | 2 passed');
  expect(stdout).toMatch(/× tested, asked "What is the "code"\?": tripwire/);
  for (const file of ['same', 'short']) expect(stdout).toMatch(new RegExp(`✓.*${file}\\.test\\.ts`));
  expect(status).toBe(1);
});
