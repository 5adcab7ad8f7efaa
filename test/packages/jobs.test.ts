import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { nodes, openProjectWith, readManifest, type Project } from './project.js';
import { jsonOf, withServer } from './serve.js';

const programs = join(import.meta.dirname, 'jobs');
const folder = mkdtempSync(join(tmpdir(), 'interlock-jobs-'));

interface Job {
  readonly name: string;
  readonly packages: readonly string[];
  /** Its files in the folder `jobs`, the program first. */
  readonly files: readonly string[];
  /** The output of the program. */
  readonly prints: string;
}

/** Jobs of a new user. Each program is written from the samples of README.md and docs. */
const jobs: readonly Job[] = [
  {
    name: 'an agent with memory, tools, approval and guards, served by Mastra',
    packages: ['@mastra/memory', '@mastra/libsql', '@mastra/hono', '@mastra/client-js', 'hono', '@hono/node-server'],
    files: ['served-agent.ts', 'serve-mastra.ts'],
    prints: `
answer: Write to [EMAIL], card [CARD].
tool result: [{"owner":"[EMAIL]","card":"[CARD]"}]
memory: 2 rows; redacted
model saw: redacted
generate: prompt-injection
stopped by: prompt-injection The input tries to change what the assistant does.
stream: start tripwire finish
before approval: 0
after approval: 1 It is paid back.
`,
  },
  {
    name: 'the AI SDK alone: a stream, an object, a loop of tools, a chat',
    packages: ['ai', 'rate-limiter-flexible'],
    files: ['ai-sdk.ts'],
    prints: `
streamText: Ask [EMAIL].
object: { name: 'Ann', mail: '[EMAIL]' } true
ToolLoopAgent: Write to ann@example.com.
guardedToolLoop: Write to [EMAIL]. { mail: '[EMAIL]' }
tripwire: prompt-injection
page: step-start You are welcome.
log: true
page: data-tripwire
page: step-start You are welcome.
the page shows: user 1, assistant 2, user 1, assistant 2, user 1, assistant 2
log: true
route: true
ada Well.
ada Well.
ada The limit of runs is reached.
bob Well.
`,
  },
  {
    name: 'a pipeline as a workflow over HTTP',
    packages: ['@mastra/hono', '@mastra/client-js', 'hono', '@hono/node-server'],
    files: ['pipeline.ts', 'serve-mastra.ts'],
    prints: `
workflows: moderation
success I am [EMAIL].
tripwire prompt-injection
tripwire blocked-terms
success The rival is cheaper.
agent: With pleasure.
agent: prompt-injection
`,
  },
  {
    name: 'an own guard, and a limit for each user',
    packages: ['rate-limiter-flexible'],
    files: ['own-guard.ts'],
    prints: `
verify: nothing
success It costs twelve. calls: 3
feedback: true
tripwire shop-rules The price list is broken.
ada success
ada success
ada tripwire
bob success
cy success
`,
  },
  {
    name: 'a durable run that is killed',
    packages: ['openworkflow'],
    files: ['durable.ts', 'durable-worker.ts'],
    prints: `
die in reserve: SIGKILL
die in pay: SIGKILL
 -> suspended
attach: 0
waits: pay tool/unknown-outcome
All is paid. -> success
resolve: 0
reserve 5, reserve 5, pay 7
`,
  },
];

const minutes: (readonly [job: string, minutes: string])[] = [];

/** Runs a job in an empty folder, and notes its time with the installation. */
const timed = async (job: string, packages: readonly string[], run: (project: Project) => Promise<void>): Promise<void> => {
  const start = performance.now();
  const hosts = JSON.parse(readFileSync(join(import.meta.dirname, '../hosts/package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const { dependencies, devDependencies } = readManifest();
  const versions: Record<string, string> = {
    '@mastra/loggers': '1.3.2', // of create-mastra; nothing else in the repository needs it
    ...hosts.devDependencies,
    ...dependencies,
    ...devDependencies,
  };
  const names = ['@types/node', 'zod', ...packages];
  const wanted = Object.fromEntries(names.map((name) => [name, versions[name] ?? '*']));
  await run(await openProjectWith(join(folder, job.replaceAll(/\W+/g, '-')), wanted));
  minutes.push([job, ((performance.now() - start) / 60_000).toFixed(1)]);
};

const compilerOptions = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.asynciterable'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  noEmit: true,
};

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  process.stdout.write(`${['minutes  job', ...minutes.map(([job, time]) => `${time.padStart(7)}  ${job}`)].join('\n')}\n`);
}, 60_000);

describe('a new user builds', () => {
  it.each(jobs)('$name', ({ name, packages, files: [program = '', ...others], prints }) =>
    timed(name, packages.includes('ai') ? packages : ['@mastra/core', ...packages], async (project) => {
      for (const file of [program, ...others]) project.write(file, readFileSync(join(programs, file), 'utf8'));
      project.write('tsconfig.json', JSON.stringify({ compilerOptions, files: [program, ...others] }));
      expect((await project.compile('7', 'tsconfig.json')).stdout).toBe('');
      const { stdout, stderr } = await project.node(24, [program]);
      expect(stdout, stderr).toBe(prints.trimStart());
    }),
  );
});

describe('a new user guards the project of create-mastra', () => {
  const packages = ['@mastra/core', '@mastra/memory', '@mastra/libsql', '@mastra/loggers', '@mastra/observability'];

  it('with init, check and the studio', () =>
    timed('init, check and studio in a project of create-mastra', packages, async (project) => {
      cpSync(join(programs, 'create-mastra'), project.folder, { recursive: true });
      const bin = 'node_modules/mastra-interlock/dist/mastra-interlock.js';
      const entry = ['--entry', 'src/mastra/index.ts'];

      const before = await project.node(24, [bin, 'check', ...entry]);
      expect(before, before.stderr).toMatchObject({ code: 0 });
      expect(before.stdout).toContain("weather-agent (Mastra's own agent, not checked)");

      const init = await project.node(24, [bin, 'init', '--yes']);
      expect(init, init.stderr).toMatchObject({ code: 0 });
      expect(init.stdout).toContain("+import { Agent } from 'mastra-interlock';");
      expect(init.stdout).toContain('1 file written.');

      const after = await project.node(24, [bin, 'check', ...entry, '--strict']);
      expect(after, after.stderr).toMatchObject({ code: 0 });
      expect(after.stdout).toMatch(/^ok +weather-agent$/m);
      expect((await project.compile('5.9', 'tsconfig.json')).stdout).toBe('');

      const studio = {
        command: [nodes[24], bin, 'studio', ...entry, '--port', '0'],
        cwd: project.folder,
        addressIn: (output: string) => /http:\S+\?token=\S+/.exec(output)?.[0],
      };
      await withServer(studio, async (address) => {
        const { origin, searchParams } = new URL(address);
        const headers = { authorization: `Bearer ${searchParams.get('token')}` };
        expect(JSON.stringify(await jsonOf(await fetch(`${origin}/api/catalog`, { headers })))).toContain('weather-agent');
        expect((await fetch(`${origin}/api/catalog`)).status).toBe(401);
      });
    }));
});
