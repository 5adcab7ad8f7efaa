import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { inject } from 'vitest';

import { surroundings } from './pack.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the packed package, from pack.ts. */
    tarball: string;
  }
}

const root = join(import.meta.dirname, '../..');
const rootModules = join(root, 'node_modules');
const ownModules = join(import.meta.dirname, 'node_modules');

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end, without a terminal. */
const run = (file: string, args: readonly string[], { cwd, env = {} }: RunOptions): Promise<Ran> =>
  new Promise((resolve) => {
    const options = { cwd, env: { ...surroundings, ...env }, maxBuffer: 2 ** 26 };
    const child = execFile(file, args, options, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });

/** The versions of Node, from the package `node`: this process's, and the oldest supported one from package.json. */
export const nodes = {
  24: join(rootModules, 'node/bin/node'),
  22: join(ownModules, 'node22/bin/node'),
} as const;

/** The compilers. */
export const compilers = {
  '7': join(rootModules, 'typescript/bin/tsc'),
  '5.9': join(ownModules, 'typescript5/bin/tsc'),
} as const;

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
}

export const readManifest = (folder = root): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** The subpaths of the package, as programs import them. */
export const subpaths = Object.keys(readManifest().exports)
  .filter((subpath) => subpath !== './package.json')
  .map((subpath) => subpath.replace(/^\./, 'mastra-interlock'));

export const examples = globSync('examples/*/package.json', { cwd: root })
  .map((path) => basename(join(path, '..')))
  .toSorted();

/** All packages that the examples and the subpaths need in addition, in the versions that the repository tests. */
const requiredPeers = (): Record<string, string> => {
  const { devDependencies, peerDependencies } = readManifest();
  const names = examples.flatMap((name) => Object.keys(readManifest(join(root, 'examples', name)).dependencies ?? {}));
  const wanted = new Set(['@types/node', ...names, ...Object.keys(peerDependencies)]);
  wanted.delete('mastra-interlock');
  wanted.delete('@huggingface/transformers'); // half a gigabyte, which test/classifier has
  return Object.fromEntries([...wanted].map((name) => [name, devDependencies[name] ?? peerDependencies[name] ?? '*']));
};

/** Flags with which the oldest version runs TypeScript like later ones. */
const nodeOptions = { 22: '--experimental-strip-types --disable-warning=ExperimentalWarning', 24: '' } as const;

export interface Project {
  readonly folder: string;
  readonly write: (path: string, content: string) => void;
  /** Runs a program of the project with a version of Node. */
  readonly node: (version: keyof typeof nodes, args: readonly string[], env?: Record<string, string>) => Promise<Ran>;
  readonly compile: (version: keyof typeof compilers, tsconfig: string) => Promise<Ran>;
}

/** An empty project in a folder outside the repository, with the packed package installed, and a copy of the examples. */
export const openProject = async (folder: string): Promise<Project> => {
  const project = await openProjectWith(folder, requiredPeers());
  for (const name of examples)
    cpSync(join(root, 'examples', name), join(folder, name), {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    });
  return project;
};

/** A project with the packed package and the named packages, in the versions that the repository tests. */
export const openBareProject = (folder: string, names: readonly string[]): Promise<Project> => {
  const { devDependencies, dependencies = {} } = readManifest();
  return openProjectWith(
    folder,
    Object.fromEntries(names.map((name) => [name, devDependencies[name] ?? dependencies[name] ?? '*'])),
  );
};

/** A project in an empty folder with the packed package and others in the versions given, installed as a user installs them. */
export const openProjectWith = async (folder: string, versions: Record<string, string>): Promise<Project> => {
  const dependencies = { ...versions, 'mastra-interlock': `file:${inject('tarball')}` };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, stdout, stderr } = await run('npm', ['install', ...flags], { cwd: folder });
  if (code !== 0) throw new Error(`npm install ended with ${code}:\n${stdout}${stderr}`);
  return {
    folder,
    write: (path, content) => {
      const file = join(folder, path);
      writeFileSync(`${file}.part`, content); // a concurrent test may be reading the file: it is never half written
      renameSync(`${file}.part`, file);
    },
    node: (version, args, env = {}) =>
      run(nodes[version], args, { cwd: folder, env: { NODE_OPTIONS: nodeOptions[version], ...env } }),
    compile: (version, tsconfig) => run(nodes[24], [compilers[version], '-p', tsconfig, '--pretty', 'false'], { cwd: folder }),
  };
};
