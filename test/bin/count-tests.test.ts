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

  it('list the files to run again', () => {
    expect(count('--failed', first).counts).toBe('a.test.ts');
    expect(count('--failed', report('clean', { one: true })).counts).toBe('');
  });

  it('count a test that passes the second time as passed and unstable, one that fails twice as failed', () => {
    const { counts, failures } = count(first, '1', report('again', { one: true, two: true, three: false }), '1');
    expect(counts).toBe('2 1');
    expect(failures).toContain('UNSTABLE  a.test.ts > two');
    expect(failures).toContain('FAIL  a.test.ts > three');
  });

  it('count a file that is collected only the second time', () => {
    const path = join(folder, 'uncollected.json');
    const testResults = [{ name: resolve('a.test.ts'), status: 'failed', message: 'No such module.', assertionResults: [] }];
    writeFileSync(path, JSON.stringify({ numPassedTests: 0, testResults }));
    expect(count(path, '1').counts).toBe('0 1');
    expect(count(path, '1', report('collected', { one: true }), '0').counts).toBe('1 0');
  });

  it('count a failure if the second run has no report, fails outside its tests or is missing', () => {
    expect(count(first, '1', join(folder, 'absent.json'), '1').counts).toBe('1 3');
    expect(count(first, '1', report('without', { one: true, two: true }), '0').counts).toBe('2 1');
    expect(count(first, '1', report('outside', { one: true, two: true, three: true }), '1').counts).toBe('3 1');
    expect(count(join(folder, 'absent.json'), '1').counts).toBe('0 1');
    expect(count(report('whole', { one: true }), '1').counts).toBe('1 1');
  });
});
