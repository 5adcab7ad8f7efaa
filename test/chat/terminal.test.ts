import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { chatCommand, startChat } from './start-chat.js';

/** A pseudo-terminal from util-linux, 80 columns wide. Other systems' `script` takes other options. */
const recorder = 'script';
const hasScript = spawnSync(recorder, ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;
const inTerminal = [recorder, '-qfec', `stty cols 80 rows 24; exec ${chatCommand.join(' ')}`, '/dev/null'] as const;

it.skipIf(!hasScript)('at a terminal: edits lines, cancels a turn with Ctrl+C, and ends with it at the prompt', async () => {
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
