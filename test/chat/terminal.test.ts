import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { chatCommand, startChat } from './start-chat.js';

/** A pseudo-terminal, 80 columns wide, from `script`: of util-linux, or else of BSD, as macOS has it. */
const inTerminal = ((): readonly [string, ...string[]] => {
  const command = `stty cols 80 rows 24; exec ${chatCommand.join(' ')}`;
  const version = spawnSync('script', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const isOfLinux = version.stdout?.includes('util-linux');
  return isOfLinux ? ['script', '-qfec', command, '/dev/null'] : ['script', '-q', '/dev/null', 'sh', '-c', command];
})();

it('at a terminal: edits lines, cancels a turn with Ctrl+C, and ends with it at the prompt', async () => {
  const running = startChat([], { command: inTerminal, env: { TERM: 'xterm' } });
  const prompts = (count: number) => running.until(new RegExp(`(you › (?:(?!you › )[^])*){${count}}`));
  await prompts(1);
  running.type('hanx\u007fg\r');
  await running.until(/One moment, /);
  running.type('\u0003');
  await running.until(/result.*canceled/);
  running.type('short\r');
  await running.until(/withdrawn \(attempt 1\)/);
  // Typed ahead, while the turn is under way.
  running.type('/orders\n');
  await running.until(/1043 +processing/);
  await new Promise((resolve) => setTimeout(resolve, 300));
  running.type('\u0003');
  const { code, stdout } = await running.ended;
  expect(code).toBe(0);
  expect(stdout).toContain('\u001b[33m■ canceled');
  expect(stdout).toMatch(/result.*success.* · 1 retry/);
});
