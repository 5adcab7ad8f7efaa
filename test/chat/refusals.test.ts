import { describe, expect, it } from 'vitest';
import { runChat } from './start-chat.js';

describe('the program', () => {
  it.each<[string, readonly string[], Record<string, string>]>([
    ['no model: set INTERLOCK_MODEL', ['--once', 'Hi'], { INTERLOCK_BASE_URL: 'http://127.0.0.1:9/v1' }],
    ["Unknown option '--nope'", ['--nope'], {}],
  ])('says in one line what is wrong, before anything runs: %s', async (complaint, args, env) => {
    const { code, stdout, stderr } = await runChat(args, { env });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^.+\n$/);
    expect(stderr).toContain(complaint);
  });

  it('prints its usage', async () => {
    const { code, stdout, stderr } = await runChat(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    const names = ['--once', '--json', 'INTERLOCK_MODEL', 'INTERLOCK_BASE_URL', 'INTERLOCK_API_KEY'];
    for (const name of names) expect(stdout).toContain(name);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});
