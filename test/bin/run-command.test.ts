import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { runCommand } from '../../bin/run-command.js';
import { collectTraces, formatTrace, parseTrace, redactTrace } from '../../src/replay.js';
import { makeAgent } from '../mastra/support.js';

const folder = mkdtempSync(join(tmpdir(), 'interlock-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = async (...args: string[]) => {
  let [out, err] = ['', ''];
  const code = await runCommand(args, { out: (text) => (out += text), err: (text) => (err += text), cwd: folder });
  return { code, out, err };
};

describe('the command line', () => {
  it('lists its commands and the usage of each', async () => {
    for (const args of [[], ['--help'], ['help']])
      expect(await run(...args)).toMatchObject({ code: 0, out: expect.stringContaining('redact') as string });
    expect((await run('--version')).out).toMatch(/^mastra-interlock@\d/);
    expect(await run('redact', '--help')).toMatchObject({ code: 0, out: expect.stringContaining('TRACE.jsonl') as string });
  });

  it('rejects unknown commands, files and options', async () => {
    expect(await run('fly')).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Unknown command "fly"') as string });
    expect(await run('redact')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^redact: one trace file is required\./) as string,
    });
    expect(await run('redact', 'missing.jsonl')).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /missing\.jsonl[^]*See node_modules\/mastra-interlock\/docs\/reference\/errors\.md#command-unreadable-file/,
      ) as string,
    });
    expect(await run('redact', '--fly')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--fly.*\n.* redact --help to see its usage/) as string,
    });
  });
});

describe('redact', () => {
  it('writes the public view of a trace', async () => {
    const recording = collectTraces();
    await makeAgent('Hello.').agent.generate('Hi', { record: recording.record });
    writeFileSync(join(folder, 'trace.jsonl'), formatTrace(recording.trace));
    const { code, out } = await run('redact', 'trace.jsonl');
    expect(code).toBe(0);
    expect(parseTrace(out)).toHaveLength(recording.trace.length);
    expect(out).not.toContain('"list"');
  });

  it('explains why a file is not a valid trace', async () => {
    writeFileSync(join(folder, 'no.jsonl'), '{"seq":0}\n');
    expect(await run('redact', 'no.jsonl')).toMatchObject({ code: 2, err: expect.stringContaining('trace/invalid') as string });
    writeFileSync(join(folder, 'later.jsonl'), '{"seq":0,"kind":"header","version":2,"library":"mastra-interlock@9.0.0"}\n');
    expect(await run('redact', 'later.jsonl')).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /trace\/version.* version 2, written by mastra-interlock@9\.0\.0; this library reads version 1\./,
      ) as string,
    });
  });
});

describe('replay', () => {
  const forbids = (retry: boolean): string =>
    `export const guards = { outputProcessors: [{ id: 'forbids', processOutputStep: ({ text = '', abort, messages }) =>
      text.includes('4711') ? abort('no codes', { retry: ${String(retry)} }) : messages }] };`;

  it('lists the verdicts that differ and exits with 1 if any differs', async () => {
    const recording = collectTraces();
    const { agent } = makeAgent([{ text: 'The code is 4711.' }], {
      outputProcessors: [
        {
          id: 'forbids',
          processOutputStep: ({ text = '', abort, messages }) => (text.includes('4711') ? abort('no codes') : messages),
        },
      ],
    });
    await agent.generate('Hi', { record: recording.record });
    writeFileSync(join(folder, 'blocked.jsonl'), formatTrace(recording.trace));
    writeFileSync(join(folder, 'same.mjs'), forbids(false));
    writeFileSync(join(folder, 'other.mjs'), forbids(true).replace("id: 'forbids'", "id: 'forbids', name: 'x'"));
    writeFileSync(join(folder, 'lax.mjs'), 'export default { outputProcessors: [] };');
    expect(await run('replay', 'blocked.jsonl', '--pipeline', 'same.mjs')).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 replayed, 0 differ') as string,
    });
    const lax = await run('replay', 'blocked.jsonl', 'blocked.jsonl', '--pipeline', 'lax.mjs');
    expect(lax.code).toBe(1);
    expect(lax.out).toContain('tripwire -> success');
    expect(lax.out).toContain('outputStep forbids: trip: no codes -> no verdict');
    expect(lax.out).toContain('2 replayed, 2 differ');
    const json = await run('replay', 'blocked.jsonl', '--pipeline', 'lax.mjs', '--json');
    expect(JSON.parse(json.out)).toMatchObject({ path: 'blocked.jsonl', differs: true, after: { status: 'success' } });
    for (const [args, message] of [
      [['blocked.jsonl'], '--pipeline is missing'],
      [['--pipeline', 'same.mjs'], 'a trace file is missing'],
    ] as const)
      expect(await run('replay', ...args)).toMatchObject({ code: 2, err: expect.stringContaining(message) as string });
  });

  it('names each unreadable trace and continues with the others', async () => {
    const recording = collectTraces();
    await makeAgent('Hello.').agent.generate('Hi', { record: recording.record });
    const lines = formatTrace(recording.trace);
    writeFileSync(join(folder, 'whole.jsonl'), `\uFEFF${lines.replaceAll('\n', '\r\n')}`);
    writeFileSync(join(folder, 'torn.jsonl'), lines.slice(0, -20));
    writeFileSync(join(folder, 'going-on.jsonl'), lines.replace(/[^\n]*\n$/, ''));
    writeFileSync(join(folder, 'redacted.jsonl'), formatTrace(redactTrace(recording.trace)));
    writeFileSync(join(folder, 'lanes.mjs'), 'export default { outputProcessors: [] };');
    const traces = ['torn.jsonl', 'missing.jsonl', '.', 'redacted.jsonl', 'whole.jsonl', 'going-on.jsonl'];
    const { code, out, err } = await run('replay', ...traces, '--pipeline', 'lanes.mjs');
    expect(code).toBe(2);
    expect(out).toContain('same     whole.jsonl  success\n');
    expect(out).toContain('going-on.jsonl  unfinished -> success\n');
    expect(out).toMatch(/2 replayed, \d differ, 4 could not be read\n$/);
    const codes = {
      torn: 'trace/invalid',
      missing: 'command/unreadable-file',
      '\\.': 'command/unreadable-file',
      redacted: 'trace/redacted',
    };
    for (const [name, its] of Object.entries(codes))
      expect(err).toMatch(new RegExp(`^${name}.*: \\[${its}\\] at .*\n(?:.*\n)*?See .*errors\\.md#`, 'm'));
    expect(err.split('\n')).toHaveLength(9);
  });
});

describe('a module with guards', () => {
  const guardIn = (forms: string): string =>
    `const terms = { id: 'terms', processInput: ({ messages, abort }) => /"bad"/.test(JSON.stringify(messages)) ? abort('bad') : messages };\n${forms}`;

  beforeAll(() => {
    writeFileSync(join(folder, 'set.jsonl'), '{"label":true,"text":"bad"}\n{"label":false,"text":"good"}\n');
  });

  it.each(['default terms', 'const guards = [terms]', 'const guards = { inputProcessors: [terms] }'])(
    'can contain: export %s',
    async (form) => {
      const file = `form-${form.length}.mjs`;
      writeFileSync(join(folder, file), guardIn(`export ${form};`));
      expect(await run('eval', '--pipeline', file, '--data', 'set.jsonl', '--min', 'f1=1')).toMatchObject({ code: 0, err: '' });
    },
  );

  it.each([
    ['no-guards.mjs', 'export const other = 1;', 'it exports other; one of default, agent, pipeline, guards is required.'],
    ['a-function.mjs', 'export default () => [];', 'its default is a function.'],
    [
      'a-stock-agent.mjs',
      'export const agent = { generate() {}, stream() {} };',
      'its agent is an agent, but not an InterlockAgent',
    ],
  ])('is rejected with its path: %s', async (file, source, message) => {
    writeFileSync(join(folder, file), source);
    const { code, err } = await run('eval', '--pipeline', file, '--data', 'set.jsonl');
    expect(code).toBe(2);
    expect(err).toContain(`[command/invalid-module] at ${join(folder, file)}: `);
    expect(err).toContain(message);
  });
});

describe('a module that does not load', () => {
  it.each([
    ['throws.mjs', "throw new Error('no key');", 'Error: no key\n    at '],
    ['typed.ts', "import { Missing } from './not-there';\nexport default Missing;", "Cannot find module './not-there'"],
    ['thrown.ts', "enum Kind { A = 'a' }\nconst key: string = Kind.A;\nthrow new TypeError(key);", 'thrown.ts:3'],
  ])('is reported with the cause and the stack: %s', async (file, source, message) => {
    writeFileSync(join(folder, file), source);
    const { code, err } = await run('eval', '--pipeline', file, '--data', 'set.jsonl');
    expect(code).toBe(2);
    expect(err).toContain(`[command/failed-module] at ${join(folder, file)}: `);
    expect(err).toContain('Caused by: ');
    expect(err).toContain(message);
  });

  it('does not include a module that imports without extensions, as Mastra\u2019s templates do', async () => {
    writeFileSync(join(folder, 'kinds.ts'), "export enum Kind { Bad = 'bad' }\n");
    const guard = `import { Kind } from './kinds';
export const guard = { id: 'terms', processInput: ({ messages, abort }: any) => JSON.stringify(messages).includes(Kind.Bad) ? abort('bad') : messages };
export default guard;`;
    writeFileSync(join(folder, 'extensionless.ts'), guard);
    expect(await run('eval', '--pipeline', 'extensionless.ts', '--data', 'set.jsonl', '--min', 'f1=1')).toMatchObject({
      code: 0,
      err: '',
    });
  });
});

describe('the program', () => {
  it('exits even if a module left a timer open', () => {
    writeFileSync(join(folder, 'open.mjs'), "setInterval(() => undefined, 1_000); throw new Error('no key');");
    const bin = join(import.meta.dirname, '../../bin/mastra-interlock.ts');
    const args = [
      '--import',
      './scripts/strip-types.mjs',
      bin,
      'eval',
      '--pipeline',
      join(folder, 'open.mjs'),
      '--data',
      join(folder, 'set.jsonl'),
    ];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
    expect([status, stderr]).toEqual([2, expect.stringContaining('no key')]);
  });
});
