import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

const bash = '/bin/bash';

/** Runs `.ci/run`; `programs` are the only ones of the machine, if they are given. */
const ci = async (args: readonly string[], programs?: readonly string[]) => {
  const output = mkdtempSync(join(tmpdir(), 'interlock-ci-'));
  const bin = join(output, 'bin');
  mkdirSync(bin);
  for (const name of programs ?? []) {
    const { stdout } = await promisify(execFile)(bash, ['-c', `command -v ${name}`]);
    symlinkSync(stdout.trim(), join(bin, name));
  }
  const env = { ...process.env, CI_OUTPUT: output, CHROMIUM_PATH: '', ...(programs && { PATH: bin }) };
  const run = promisify(execFile)(bash, ['.ci/run', ...args], { env });
  const { stdout, stderr, code } = await run.then(
    (ended) => ({ ...ended, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
  return { output, stdout, stderr, code };
};

it('.ci/run names the parts if there is no such part, and fails', async () => {
  const { code, stdout, stderr } = await ci(['nonsense']);
  expect([code, stdout]).toEqual([2, '0 passed, 1 failed\n']);
  expect(stderr).toMatch(/no part nonsense\. The parts are: gates test slow apps hosts packages classifier engines crash;/);
});

it('.ci/run fails a suite whose browser is missing, and names it', async () => {
  const { output, stdout } = await ci(['--check', 'hosts'], ['dirname', 'tee']);
  expect(stdout).toMatch(/^FAIL {2}hosts: Chromium is missing: install it .*CHROMIUM_PATH/);
  expect(readFileSync(join(output, 'hosts.counts'), 'utf8')).toBe('0 1\n');
});
