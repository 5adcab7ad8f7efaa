import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { expected, programs, type Program } from './programs.js';
import { openProjectWith, readManifest, type Project } from './project.js';
import { jsonOf, withNext } from './serve.js';

/** The routes of the Next.js application. Routes of the edge runtime use no Mastra. */
const routes = {
  node: ['guards', 'ai-sdk', 'agent'],
  edge: ['guards', 'ai-sdk'],
} as const satisfies Record<string, readonly Program[]>;

const folder = mkdtempSync(join(tmpdir(), 'interlock-plain-apps-'));
let project: Project;

const write = (path: string, content: string): void => {
  mkdirSync(dirname(join(project.folder, path)), { recursive: true });
  project.write(path, content);
};

beforeAll(async () => {
  const { devDependencies } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const versions = { ...readManifest().devDependencies, ...devDependencies };
  const packages = ['@mastra/core', 'ai', 'next', 'react', 'react-dom', 'zod'];
  project = await openProjectWith(
    join(folder, 'project'),
    Object.fromEntries(packages.map((name) => [name, versions[name] ?? '*'])),
  );
  // As create-next-app writes it: in a package of type `module`, `next build --webpack` loses a manifest of edge routes.
  const { type: _type, ...manifest } = JSON.parse(readFileSync(join(project.folder, 'package.json'), 'utf8')) as {
    type?: string;
  };
  write('package.json', JSON.stringify(manifest));
  for (const name of Object.keys(programs) as Program[]) write(`programs/${name}.js`, programs[name]);
  write('app/layout.js', 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;');
  write('app/page.js', 'export default () => <p>Hello</p>;');
  for (const [runtime, names] of Object.entries(routes))
    for (const name of names)
      write(
        `app/${runtime}/${name}/route.js`,
        `import '../../../programs/${name}.js';
         const { answer } = globalThis; // each program sets it
         ${runtime === 'edge' ? "export const runtime = 'edge';" : ''}
         export const POST = async () => Response.json(await answer());`,
      );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000);

const ask = async (address: string, runtime: string, program: Program): Promise<unknown> =>
  jsonOf(await fetch(`${address}/${runtime}/${program}`, { method: 'POST' }));

/** Runs a bundle for browsers in an empty context with the globals that it needs. */
const answerOf = async (code: string): Promise<unknown> => {
  const names = [
    'AbortController',
    'AbortSignal',
    'DOMException',
    'Headers',
    'ReadableStream',
    'Request',
    'Response',
    'TextDecoder',
  ];
  const others = ['TextEncoder', 'TransformStream', 'URL', 'WritableStream', 'atob', 'btoa', 'clearTimeout', 'console', 'crypto'];
  const all = [...names, ...others, 'fetch', 'performance', 'queueMicrotask', 'setTimeout', 'structuredClone'];
  const globals = Object.fromEntries(all.map((name) => [name, (globalThis as Record<string, unknown>)[name]]));
  const document = { createElement: () => ({ relList: { supports: () => true } }) }; // Vite's code asks for module preload
  const context = createContext({ ...globals, document });
  runInContext(code.replaceAll('import.meta', '({ url: "http://localhost/main.js" })'), context); // it is a module on a page
  return (context['answer'] as () => Promise<unknown>)();
};

/** Vite's hint that one program with all its packages is large. */
const sizeHint = /^\[plugin builtin:vite-reporter\][^]*chunkSizeWarningLimit\.\n*$/;

describe('an application without configuration', () => {
  it.each([
    ['Turbopack', []],
    ['webpack', ['--webpack']],
  ])('is built by Next.js with %s, and answers in routes of both runtimes', async (_name, flags) => {
    const next = 'node_modules/next/dist/bin/next';
    const { code, stdout, stderr } = await project.node(24, [next, 'build', ...flags], { NEXT_TELEMETRY_DISABLED: '1' });
    expect(code, stdout + stderr).toBe(0);
    await withNext(project, 'start', async (address) => {
      for (const [runtime, names] of Object.entries(routes))
        for (const name of names) expect(await ask(address, runtime, name), `${runtime} ${name}`).toEqual(expected[name]);
    });
  });

  it('answers in routes of both runtimes with next dev', async () => {
    await withNext(project, 'dev', async (address) => {
      for (const runtime of Object.keys(routes))
        for (const name of ['guards', 'ai-sdk'] as const)
          expect(await ask(address, runtime, name), `${runtime} ${name}`).toEqual(expected[name]);
    });
  });

  it.each(['guards', 'ai-sdk'] as const)('is built by Vite: /%s', async (name) => {
    write(`vite-${name}/index.html`, `<script type="module" src="/main.js"></script>`);
    write(`vite-${name}/main.js`, programs[name]);
    const vite = join(import.meta.dirname, '../../node_modules/vite/bin/vite.js');
    const { code, stderr } = await project.node(24, [vite, 'build', `vite-${name}`]);
    expect([code, stderr.replace(sizeHint, '')]).toEqual([0, '']);
    const [file = ''] = globSync(`vite-${name}/dist/assets/*.js`, { cwd: project.folder });
    expect(await answerOf(readFileSync(join(project.folder, file), 'utf8'))).toEqual(expected[name]);
  });

  it.each(['guards', 'ai-sdk'] as const)('is built by webpack: /%s', async (name) => {
    const webpack = createRequire(import.meta.url).resolve('webpack-cli/bin/cli.js');
    const out = `webpack-${name}`;
    const { code, stdout, stderr } = await project.node(24, [
      webpack,
      `./programs/${name}.js`,
      '--mode',
      'production',
      '-o',
      out,
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain('ERROR in');
    expect(await answerOf(readFileSync(join(project.folder, out, 'main.js'), 'utf8'))).toEqual(expected[name]);
  });
});
