import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tinyClassifier, writeTinyModel } from './tiny-model.js';

const folder = mkdtempSync(join(tmpdir(), 'interlock-slow-'));
beforeAll(() => writeTinyModel(join(folder, 'slow'), { ...tinyClassifier, isSlow: true }));
afterAll(() => rmSync(folder, { recursive: true }));

const tsx = createRequire(import.meta.url).resolve('tsx/cli');
const run = (way: string): Promise<{ code: unknown; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [tsx, join(import.meta.dirname, 'end-in-inference.ts'), way, folder], (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout: stdout.trim(), stderr }),
    );
  });

describe('a process outlives the end of its classifier in the middle of an inference', () => {
  it.each([
    ['close', 'guard/unavailable at once'],
    ['close-twice', 'closed'],
    ['timeout', 'guard/unavailable'],
    ['abort', 'Error: enough'],
    ['exit', ''],
  ])('%s', async (way, stdout) => {
    expect(await run(way)).toEqual({ code: 0, stdout, stderr: '' });
  });

  it('an uncaught error', async () => {
    const { code, stderr } = await run('throw');
    expect(code).toBe(1);
    expect(stderr).toContain('Error: thrown');
    expect(stderr).not.toContain('Napi');
  });
});
