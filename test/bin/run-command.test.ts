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
