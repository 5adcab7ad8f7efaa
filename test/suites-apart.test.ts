import { readFileSync } from 'node:fs';

import { describe, expect, it, vi } from 'vitest';

import { suitesApart, teardown } from '../scripts/suites-apart.js';

describe('the suites that npm test leaves out', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

  it('are folders with packages of their own', () => expect(suitesApart()).toContain('hosts'));

  it.each(suitesApart())('%s has its scripts, which install it first', (name) => {
    expect(scripts[`pretest:${name}`]).toBe(`node scripts/setup.mjs test/${name}`);
    expect(scripts[`test:${name}`]).toContain(`--config test/${name}/vitest.config.ts`);
  });

  it('are named at the end of a run', () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    teardown();
    const said = write.mock.calls.map(([text]) => String(text)).join('');
    write.mockRestore();
    for (const name of suitesApart()) expect(said).toContain(`npm run test:${name}`);
  });
});
