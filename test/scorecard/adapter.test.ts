import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { loadHosts, tryHost } from '../../scorecard/adapter.js';
import { UsageError } from '../../scorecard/host.js';
import type { HostResult } from '../../scorecard/results.js';

/** A third-party adapter, in a folder outside the repository, without a package of the scorecard. */
const loop = `
class Blocked extends Error { name = 'Blocked'; }
const judge = async (guards, at, text) => {
  for (const guard of guards.filter((it) => it.at === at)) {
    const verdict = await guard.judge(text);
    if (verdict.kind === 'block') throw new Blocked(verdict.reason);
    if (verdict.kind === 'edit') text = verdict.text;
  }
  return text;
};
const open = ({ baseUrl, guards }) => {
  const messages = [];
  const generate = async (prompt) => {
    messages.push({ role: 'user', content: await judge(guards, 'input', prompt) });
    const body = JSON.stringify({ model: 'local', messages });
    const response = await fetch(baseUrl + '/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const answer = await judge(guards, 'answer', (await response.json()).choices[0].message.content);
    messages.push({ role: 'assistant', content: answer });
    return { ended: 'completed', answer, result: messages };
  };
  const stream = async (prompt, signal, reader) => {
    const outcome = await generate(prompt);
    reader.show(outcome.answer);
    reader.end();
    return outcome;
  };
  return { generate, stream, history: async () => messages };
};
const host = { id: 'mine', name: 'My loop', packages: [], docs: [], keeps: { history: true, subAgents: false }, open,
  hooks: { input: ['edit', 'block'], answer: ['edit', 'block'] } };
`;

let folder = '';
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'adapter-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const write = (code: string, extension = 'mjs'): string => {
  const file = join(folder, `adapter-${(files += 1)}.${extension}`);
  writeFileSync(file, code);
  return file;
};

/** Loads and tries an adapter, and returns the error that its author gets. */
const errorOf = async (code: string, { loadMs = 60_000, runMs = 60_000 } = {}): Promise<string> => {
  try {
    const hosts = await loadHosts(write(code), loadMs);
    for (const host of hosts) await tryHost(host, runMs);
    return 'none';
  } catch (error) {
    return error instanceof UsageError ? `${error.code}: ${error.message}` : String(error);
  }
};

const adapter = (change = 'host'): string => `${loop}\nexport const mine = ${change};`;

describe('a third-party adapter', () => {
  it.each([
    ['runs', adapter(), /^none$/u],
    ['without an export', 'export const other = 1;', /^scorecard\/no-host: .* exports no object of the type Host/u],
    [
      'that throws when it is loaded',
      "throw new Error('no key');",
      /^scorecard\/adapter-failed: .* cannot be loaded: Error: no key/u,
    ],
    ['that imports a missing package', "import 'no-such-package';", /cannot be loaded: .*no-such-package/u],
    [
      'without some fields',
      adapter("{ ...host, docs: undefined, keeps: 'all' }"),
      /^scorecard\/wrong-host: .*\n {2}"mine": docs must be .*\n {2}"mine": keeps must be/u,
    ],
    [
      'with an unknown hook',
      adapter("{ ...host, hooks: { inputs: ['edit'] } }"),
      /hooks\.inputs is no place of a guard; the places are input, /u,
    ],
    [
      'with an unknown decision',
      adapter("{ ...host, hooks: { input: ['rewrite'] } }"),
      /hooks\.input names "rewrite"; the decisions are edit, /u,
    ],
    [
      'that throws when it opens',
      adapter("{ ...host, open: () => { throw new Error('no key'); } }"),
      /^scorecard\/adapter-failed: "mine" does not run: Error: no key/u,
    ],
    [
      'with half a session',
      adapter("{ ...host, open: () => ({ generate: async () => 'text' }) }"),
      /a session without stream, history/u,
    ],
    [
      'that returns no outcome',
      adapter("{ ...host, open: () => ({ ...open({}), generate: async () => 'text' }) }"),
      /a run gave no Outcome .*: "text"/u,
    ],
    [
      'that never calls the model',
      adapter("{ ...host, open: () => ({ ...open({}), generate: async () => ({ ended: 'completed', answer: '' }) }) }"),
      /generate\(\) without guards ended as completed .*; 0 requests reached the model/u,
    ],
  ])('%s', async (_, code, error) => {
    expect(await errorOf(code)).toMatch(error);
  });

  it('that hangs fails with a timeout', async () => {
    const loading = await errorOf('await new Promise(() => {});', { loadMs: 50 });
    expect(loading).toMatch(/cannot be loaded: Error: loading it did not end within 0\.05 s/u);
    const opening = await errorOf(adapter('{ ...host, open: () => new Promise(() => {}) }'), { runMs: 50 });
    expect(opening).toMatch(/"mine" does not run: Error: open\(\) did not end within 0\.05 s/u);
  });

  it('runs from a TypeScript file in another folder', async () => {
    const file = write(
      `${loop.replace('const open = (', 'const open: (setup: any) => object = (')}\nexport const mine: object = host;`,
      'ts',
    );
    const main = join(import.meta.dirname, '../../scorecard/main.ts');
    const flags = ['--import', join(import.meta.dirname, '../../scripts/strip-types.mjs'), '--no-warnings', main];
    const options = ['--host', file.replace(folder, '.'), '--scenario', 'p4', '--no-cost', '--json'];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...flags, ...options], {
      cwd: folder,
      env: { ...process.env, INIT_CWD: undefined },
    });
    const [result] = JSON.parse(stdout) as HostResult[];
    const played = result?.cells.filter(({ status }) => status !== 'no hook') ?? [];
    expect(played.length).toBeGreaterThan(8);
    expect(played.filter(({ status }) => status !== 'holds')).toEqual([]);
    expect(stderr).toContain('My loop');
  });
});
