import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';

import { openDisk, remembering, savedIn, target } from './support.js';

/** Runs the child until it kills itself, and returns its output. */
const killed = (url: string, state: string, afterMs: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const args = [
      '--import',
      './scripts/strip-types.mjs',
      new URL('killed-child.ts', import.meta.url).pathname,
      url,
      state,
      String(afterMs),
    ];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (data) => (output += String(data)));
    child.on('close', (_code, signal) =>
      signal === 'SIGKILL' ? resolve(output) : reject(new Error(`The child ended by itself, ${signal ?? 'without a signal'}.`)),
    );
  });

const whole = ['user: Which code?', 'assistant: I must not tell.'];

describe('a killed process', () => {
  it.each([
    ['between the answer and the save', 'persisting', 0],
    ['while it saves', 'persisting', 1],
    ['after it has saved', 'never', 0],
  ])('%s (%s, %d ms) leaves a whole turn or none, and no rejected content', async (_when, state, afterMs) => {
    const disk = openDisk();
    const output = await killed(disk.url, state, afterMs);
    const memory = disk.memory();
    const saved = await savedIn(memory).catch(() => []); // there may be no thread yet
    if (state === 'never') expect([output, saved]).toEqual(['I must not tell.', whole]);
    else if (afterMs === 0) expect([output, saved]).toEqual(['', []]);
    else expect([[], whole]).toContainEqual(saved);
    expect(disk.holds('ZEBRA')).toBe(false);

    const { agent } = remembering(memory, [{ text: 'Hello again.' }]);
    expect((await agent.generate('And now?', { memory: target })).text).toBe('Hello again.');
    expect(await savedIn(memory)).toEqual([...saved, 'user: And now?', 'assistant: Hello again.']);
  });
});
