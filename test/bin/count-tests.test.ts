import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'interlock-counts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a report in vitest's form: for each test whether it passed. */
const report = (name: string, tests: Readonly<Record<string, boolean>>): string => {
  const path = join(folder, `${name}.json`);
  const assertionResults = Object.entries(tests).map(([fullName, passed]) => ({
    fullName,
    status: passed ? 'passed' : 'failed',
    failureMessages: passed ? [] : [`${fullName} is wrong`],
  }));
  const status = assertionResults.some((test) => test.status === 'failed') ? 'failed' : 'passed';
  const testResults = [{ name: resolve('a.test.ts'), status, message: '', assertionResults }];
  const numPassedTests = assertionResults.filter((test) => test.status === 'passed').length;
  writeFileSync(path, JSON.stringify({ numPassedTests, testResults }));
  return path;
};

const count = (...args: string[]) => {
  const { stdout, stderr } = spawnSync(process.execPath, ['scripts/count-tests.mjs', ...args], { encoding: 'utf8' });
  return { counts: stdout.trim(), failures: stderr };
};

const first = report('first', { one: true, two: false, three: false });

describe('counts of the pipeline', () => {
  it('are the counts of one run', () => {
    const { counts, failures } = count(first, '1');
    expect(counts).toBe('1 2');
    expect(failures).toContain('FAIL  a.test.ts > two\n      two is wrong');
  });

  it('do not have failures in quarantine, which are printed', () => {
    const list = join(folder, 'quarantine.json');
    writeFileSync(list, JSON.stringify([{ file: 'a.test.ts', test: 'two', reason: 'a race in a server', date: '2026-11-28' }]));
    const { counts, failures } = count(first, '1', list);
    expect(counts).toBe('1 1');
    expect(failures).toContain('QUARANTINED  a.test.ts > two\n      since 2026-11-28: a race in a server');
  });

  it('count a file that is not collected', () => {
    const path = join(folder, 'uncollected.json');
    const testResults = [{ name: resolve('a.test.ts'), status: 'failed', message: 'No such module.', assertionResults: [] }];
    writeFileSync(path, JSON.stringify({ numPassedTests: 0, testResults }));
    expect(count(path, '1').counts).toBe('0 1');
  });

  it('count a failure if the run has no report or fails outside its tests', () => {
    expect(count(join(folder, 'absent.json'), '1').counts).toBe('0 1');
    expect(count(report('whole', { one: true }), '1').counts).toBe('1 1');
  });
});
