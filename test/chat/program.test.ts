import { spawn } from 'node:child_process';

import { expect, it, onTestFinished } from 'vitest';

import { startOpenAIServer, type Reply } from '../../src/testing/index.js';

const say = (words: string): Reply => ({ kind: 'text', text: words });

it('the chat program: Ctrl+C cancels the turn, and the end of input ends the program', async () => {
  const replies: Reply[] = [
    { kind: 'hang', after: ['One moment, '] },
    say('ok.'),
    say('Your parcel has left the shop, and arrives soon.'),
  ];
  const server = await startOpenAIServer({ reply: replies });
  onTestFinished(server.close);
  const env = { ...process.env, INTERLOCK_BASE_URL: server.baseUrl, INTERLOCK_MODEL: 'some/model' };
  const program = ['--import', './scripts/strip-types.mjs', 'playground/chat/main.ts'];
  const child = spawn(process.execPath, program, { stdio: 'pipe', env });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin.write('Where is my parcel?\n');
  await expect.poll(() => server.requests.length, { timeout: 120_000 }).toBe(1);
  child.kill('SIGINT');
  child.kill('SIGINT'); // relayed a second time
  await expect.poll(() => stdout, { timeout: 120_000 }).toContain('result  canceled');
  child.stdin.end('And now?\n');
  expect(await ended).toBe(0);
  expect(stdout).toMatch(/result {2}success · 1 retry/);
});
