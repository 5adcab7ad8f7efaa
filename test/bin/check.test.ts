import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'interlock-check-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** An application with these agents, checked in a separate process. */
const checked = (agents: string, ...args: string[]) => {
  const entry = join(folder, 'mastra.ts');
  const core = (name: string) => join(root, 'node_modules/@mastra/core/dist', name, 'index.js');
  writeFileSync(
    entry,
    `import { Mastra } from '${core('mastra')}';
import { Agent as Stock } from '${core('agent')}';
import { Agent } from '${join(root, 'src/index.ts')}';
const base = { instructions: 'Help.', model: 'openai/gpt-5' };
export const mastra = new Mastra({ agents: { ${agents} } });
`,
  );
  const program = ['--import', join(root, 'scripts/strip-types.mjs'), join(root, 'bin/mastra-interlock.ts')];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...program, 'check', '--entry', entry, ...args], {
    encoding: 'utf8',
    timeout: 240_000,
  });
  return { status, stdout, stderr };
};

describe('mastra-interlock check', () => {
  it('passes a correct application', () => {
    const { status, stdout } = checked(
      `a: new Agent({ ...base, id: 'a', name: 'A' }), b: new Stock({ ...base, id: 'b', name: 'B' })`,
    );
    expect(stdout).toMatch(/ok {7}@mastra\/core 1\./);
    expect(stdout).toMatch(/ok {7}a\n/);
    expect(stdout).toContain("b (Mastra's own agent");
    expect(status).toBe(0);
  });

  it('lists options at calls in the sources that have no effect', () => {
    writeFileSync(join(folder, 'route.ts'), "await agent.generate('Hi', { temperature: 1 });\n");
    const { status, stdout } = checked(`a: new Agent({ ...base, id: 'a', name: 'A' })`);
    rmSync(join(folder, 'route.ts'));
    expect(stdout).toMatch(/warning {2}\S*route\.ts:1: "temperature": .*modelSettings/);
    expect(status).toBe(0);
  });

  it('lists every rejected option of every agent, and its guards', () => {
    const { status, stdout } = checked(
      `a: new Agent({ ...base, id: 'a', name: 'A', durable: true, defaultOptions: { eagerToolExecution: true } } as never),
       b: new Agent({ ...base, id: 'b', name: 'B', outputProcessors: [{ id: 'idle' }] } as never),
       c: new Agent({ ...base, id: 'c', name: 'C', nmae: 'typo' } as never)`,
      '--json',
    );
    const { agents } = JSON.parse(stdout) as {
      agents: { id: string; findings: { code: string; path: string; severity: string }[] }[];
    };
    expect(agents.map(({ id, findings }) => [id, findings.map(({ code }) => code)])).toEqual([
      ['a', ['agent/unsupported-option', 'agent/unsupported-option']],
      ['b', ['pipeline/no-hook']],
      ['c', ['agent/unknown-option']],
    ]);
    const [a, , c] = agents;
    for (const { severity, path } of [...(a?.findings ?? []), ...(c?.findings ?? [])])
      expect([path, severity]).toEqual([path, 'warning']);
    expect(a?.findings.map(({ path }) => path)).toEqual(['durable', 'defaultOptions.eagerToolExecution']);
    expect(status).toBe(1);
  });

  it('counts warnings with --strict', () => {
    const judge = `a: new Agent({ ...base, id: 'a', name: 'A', outputProcessors: [{ id: 'late', processOutputResult: ({ abort }) => abort('no'), traits: { passesOnFailure: true } }] } as never)`;
    expect(checked(judge).status).toBe(0);
    const { status, stdout } = checked(judge, '--strict');
    expect([status, stdout]).toEqual([1, expect.stringContaining('warning')]);
  });
});
