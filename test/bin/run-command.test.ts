import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { runCommand } from '../../bin/run-command.js';
import { collectTraces, formatTrace, parseTrace } from '../../src/index.js';
import { makeAgent } from '../mastra/support.js';

const folder = mkdtempSync(join(tmpdir(), 'interlock-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = async (...args: string[]) => {
  let [out, err] = ['', ''];
  const code = await runCommand(args, { out: (text) => (out += text), err: (text) => (err += text), cwd: folder });
  return { code, out, err };
};

describe('the command line', () => {
  it('lists its commands, and says how each is called', async () => {
    for (const args of [[], ['--help'], ['help']])
      expect(await run(...args)).toMatchObject({ code: 0, out: expect.stringContaining('redact') as string });
    expect(await run('redact', '--help')).toMatchObject({ code: 0, out: expect.stringContaining('TRACE.jsonl') as string });
  });

  it('refuses what it does not know', async () => {
    expect(await run('fly')).toMatchObject({ code: 2, out: '', err: expect.stringContaining('no command "fly"') as string });
    expect(await run('redact')).toMatchObject({ code: 2 });
    expect(await run('redact', 'missing.jsonl')).toMatchObject({
      code: 2,
      err: expect.stringContaining('missing.jsonl') as string,
    });
    expect(await run('redact', '--fly')).toMatchObject({ code: 2, err: expect.stringContaining('--fly') as string });
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

  it('says what is wrong with what is no trace', async () => {
    writeFileSync(join(folder, 'no.jsonl'), '{"seq":0}\n');
    expect(await run('redact', 'no.jsonl')).toMatchObject({ code: 2, err: expect.stringContaining('trace/invalid') as string });
    writeFileSync(join(folder, 'later.jsonl'), '{"seq":0,"kind":"header","version":2}\n');
    expect(await run('redact', 'later.jsonl')).toMatchObject({
      code: 2,
      err: expect.stringContaining('trace/version') as string,
    });
  });
});

describe('replay', () => {
  const forbids = (retry: boolean): string =>
    `export const guards = { outputProcessors: [{ id: 'forbids', processOutputStep: ({ text = '', abort, messages }) =>
      text.includes('4711') ? abort('no codes', { retry: ${String(retry)} }) : messages }] };`;

  it('says which verdicts differ, and is 1 where any does', async () => {
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
    writeFileSync(join(folder, 'none.mjs'), 'export const other = 1;');
    expect(await run('replay', 'blocked.jsonl', '--pipeline', 'same.mjs')).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 replayed, 0 differ') as string,
    });
    const lax = await run('replay', 'blocked.jsonl', 'blocked.jsonl', '--pipeline', 'lax.mjs');
    expect(lax.code).toBe(1);
    expect(lax.out).toContain('tripwire -> success');
    expect(lax.out).toContain('outputStep forbids: trip: no codes -> not asked');
    expect(lax.out).toContain('2 replayed, 2 differ');
    const json = await run('replay', 'blocked.jsonl', '--pipeline', 'lax.mjs', '--json');
    expect(JSON.parse(json.out)).toMatchObject({ path: 'blocked.jsonl', differs: true, after: { status: 'success' } });
    expect(await run('replay', 'blocked.jsonl', '--pipeline', 'none.mjs')).toMatchObject({
      code: 2,
      err: expect.stringContaining('exports none') as string,
    });
    expect(await run('replay', 'blocked.jsonl')).toMatchObject({ code: 2 });
  });
});
