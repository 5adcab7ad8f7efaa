import { spawn } from 'node:child_process';

import { expect, it } from 'vitest';

it('the chat program: Ctrl+C cancels the turn, and the end of input ends the program', async () => {
  const child = spawn(process.execPath, ['--import', './scripts/strip-types.mjs', 'playground/chat/main.ts'], { stdio: 'pipe' });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin.write('hang\n');
  await expect.poll(() => stdout, { timeout: 120_000 }).toContain('One moment, ');
  child.kill('SIGINT');
  child.kill('SIGINT'); // relayed a second time
  await expect.poll(() => stdout, { timeout: 120_000 }).toContain('result  canceled');
  child.stdin.end('short\n');
  expect(await ended).toBe(0);
  expect(stdout).toMatch(/result {2}success · 1 retry/);
});
