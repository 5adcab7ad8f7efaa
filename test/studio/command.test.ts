import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../bin/run-command.js';
import type { RunPage } from '../../playground/protocol/runs.js';
import { clientOf, folder } from '../../playground/server/test-setup.js';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const app = path('app.ts');

interface Program {
  readonly child: ChildProcess;
  /** Its output so far. */
  output(): string;
  /** Settles with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

const studioCommand = ['--import', path('../../scripts/strip-types.mjs'), path('../../bin/mastra-interlock.ts')];

const run = (args: readonly string[], cwd = folder()): Program => {
  const child = spawn(process.execPath, [...studioCommand, 'studio', ...args], { cwd });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (text += data.toString()));
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal)),
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, output: () => text, ended };
};

/** Starts the command and waits until it listens. */
const serve = async (args: readonly string[], cwd?: string) => {
  const program = run(['--entry', app, '--port', '0', '--no-token', ...args], cwd);
  const isOver = program.ended.then(() => true);
  for (;;) {
    const url = /The studio is at (\S+)/.exec(program.output())?.[1];
    if (url) return { ...program, url, ...clientOf(url.replace(/\/(?:\?.*)?$/, '')) };
    const ended = await Promise.race([isOver, new Promise<false>((resolve) => setTimeout(() => resolve(false), 20))]);
    if (ended) throw new Error(program.output());
  }
};

describe('mastra-interlock studio', () => {
  it('serves an application, keeps its runs out of git, and exits on Ctrl+C', async () => {
    const cwd = folder();
    const studio = await serve([], cwd);
    expect((await studio.run('Hello')).summary).toMatchObject({ status: 'success', answered: 'All is well.' });
    expect(existsSync(join(cwd, '.interlock', 'studio.db'))).toBe(true);
    expect(existsSync(join(cwd, '.interlock', '.gitignore'))).toBe(true);
    studio.child.kill('SIGINT');
    expect(await studio.ended).toBe(0);
  });

  it('reports the run of a killed process as interrupted, and keeps the other runs', async () => {
    const cwd = folder();
    const first = await serve([], cwd);
    await first.run('Hello');
    const { runId } = await first.start('Go on');
    await first.entriesUntil(runId, (entry) => entry.kind === 'came' && entry.part.chars === 7);
    const { runs } = await first.json<RunPage>('runs'); // everything reported by now is stored
    expect(runs.map(({ userText, status }) => [userText, status])).toEqual([
      ['Go on', 'running'],
      ['Hello', 'success'],
    ]);
    first.child.kill('SIGKILL');
    expect(await first.ended).toBe('SIGKILL');

    const second = await serve([], cwd);
    expect(await second.summary(runId)).toMatchObject({ status: 'interrupted', error: { code: 'studio/interrupted' } });
    expect((await second.json<RunPage>('runs?status=running')).runs).toEqual([]);
    expect((await second.json<RunPage>('runs?text=well')).runs).toMatchObject([{ userText: 'Hello', status: 'success' }]);
    const entries = await second.entriesOf(runId);
    expect(entries.length).toBeGreaterThan(3);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index));
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
  });

  it('rejects a port in use with the error code', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const port = String((other.address() as AddressInfo).port);
    expect(await refusal(['--entry', app, '--port', port, '--file', 'memory'], folder())).toMatch(
      /^\[studio\/port-taken\] at 127\.0\.0\.1:/,
    );
  });

  it('names the file and line of a syntax error in an imported file', async () => {
    const cwd = folder();
    await writeFile(join(cwd, 'typo.mjs'), '\nexport const x = ;');
    await writeFile(join(cwd, 'imports-typo.mjs'), "import './typo.mjs';");
    const { ended, output } = run(['--entry', 'imports-typo.mjs'], cwd);
    expect(await ended).toBe(2);
    expect(output()).toMatch(/Unexpected token ';' \(\S+[/\\]typo\.mjs:2\)/);
  });

  it.each([
    [[], /^\[studio\/invalid-option\] at --entry: /],
    [['--entry', 'gone.js'], /^\[command\/failed-module\] at .*gone\.js/],
    [['--entry', 'nothing.mjs'], /it exports other\./],
    [['--entry', 'throws.mjs'], /its own reason/],
    [['--entry', 'a', '--port', '70000'], /^\[studio\/invalid-option\] at --port: it is "70000"/],
    [['--entry', 'a', '--port', ''], /^\[studio\/invalid-option\] at --port/],
    [['--entry', 'a', '--content', 'some'], /^\[studio\/invalid-option\] at --content/],
    [['--entry', 'a', '--max-runs', '0'], /^\[studio\/invalid-option\] at --max-runs/],
    [['--entry', 'a', '--no-token', '--token', 'x'], /^\[studio\/invalid-option\] at --no-token/],
    [['--nope'], /^\[studio\/invalid-option\].*--nope/],
    [['--entry', app, '--no-token', '--host', '0.0.0.0', '--file', 'memory'], /^\[studio\/invalid-option\] at token: /],
    [['--entry', app, '--port', '0', '--file', 'nothing.mjs'], /^\[studio\/unusable-file\] at .*nothing\.mjs: .*not a database/],
  ])('rejects %j', async (args, message) => {
    const cwd = folder();
    await writeFile(join(cwd, 'nothing.mjs'), 'export const other = 1;');
    await writeFile(join(cwd, 'throws.mjs'), "throw new Error('its own reason');");
    expect(await refusal(args, cwd)).toMatch(message);
  });
});

/** The error of a command that cannot run. */
const refusal = async (args: readonly string[], cwd: string): Promise<string> => {
  let output = '';
  const status = await runCommand(['studio', ...args], { out: (text) => (output += text), err: (text) => (output += text), cwd });
  expect(status).toBe(2);
  return output;
};
