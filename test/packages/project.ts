import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

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

/**
 * Environment variables for programs: the address of the registry, without those of an npm that may have started this process in
 * another folder.
 */
const passedVariables =
  /^(path|home|userprofile|systemroot|tmpdir|temp|lang|(https?|no)_proxy|node_extra_ca_certs|npm_config_(registry|cache|userconfig))$/i;

const surroundings = Object.fromEntries(Object.entries(process.env).filter(([name]) => passedVariables.test(name)));

/** Runs a program to its end, without a terminal. */
const run = (file: string, args: readonly string[], { cwd, env = {} }: RunOptions): Promise<Ran> =>
  new Promise((resolve) => {
    const options = { cwd, env: { ...surroundings, ...env }, maxBuffer: 2 ** 26 };
    const child = execFile(file, args, options, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });

const runWell = async (file: string, args: readonly string[], options: RunOptions): Promise<string> => {
  const { code, stdout, stderr } = await run(file, args, options);
  if (code !== 0) throw new Error(`${basename(file)} ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
};

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

/** Builds and packs in a separate folder, so that the repository's `dist` is unchanged. The studio's pages are left out. */
const pack = async (folder: string): Promise<string> => {
  mkdirSync(folder);
  for (const name of ['package.json', 'README.md', 'LICENSE', 'docs/reference/errors.md'])
    cpSync(join(root, name), join(folder, name));
  const build = ['--import', 'tsx', 'scripts/build.ts', '--no-pages', '--out', join(folder, 'dist')];
  await runWell(nodes[24], build, { cwd: root });
  const [packed] = JSON.parse(await runWell('npm', ['pack', '--json', '--ignore-scripts'], { cwd: folder })) as [
    { readonly filename: string },
  ];
  return join(folder, packed.filename);
};

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
  /** The packed package. */
  readonly tarball: string;
  readonly write: (path: string, content: string) => void;
  /** Runs a program of the project with a version of Node. */
  readonly node: (version: keyof typeof nodes, args: readonly string[], env?: Record<string, string>) => Promise<Ran>;
  readonly compile: (version: keyof typeof compilers, tsconfig: string) => Promise<Ran>;
}

/**
 * Creates an empty project in a folder outside the repository, installs the packed package in it, and copies the examples into
 * it.
 */
export const openProject = async (folder: string): Promise<Project> => {
  const tarball = await pack(join(folder, 'packed'));
  const project = await installed(join(folder, 'project'), tarball, requiredPeers());
  for (const name of examples)
    cpSync(join(root, 'examples', name), join(project, name), {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    });
  return projectIn(project, tarball);
};

/**
 * A second project with the packed package and the named packages, in the versions that the repository tests; peers are not
 * installed by themselves.
 */
export const openBareProject = async ({ folder, tarball }: Project, names: readonly string[]): Promise<Project> => {
  const { devDependencies, dependencies = {} } = readManifest();
  const wanted = Object.fromEntries(names.map((name) => [name, devDependencies[name] ?? dependencies[name] ?? '*']));
  return projectIn(await installed(join(folder, '../bare'), tarball, wanted), tarball);
};

/** Packs only the package, for projects of {@link openProjectWith}. */
export const packInto = (folder: string): Promise<string> => pack(join(folder, 'packed'));

/** A project with the packed package and others in the versions given, installed as a user installs them. */
export const openProjectWith = async (folder: string, tarball: string, versions: Record<string, string>): Promise<Project> =>
  projectIn(await installed(folder, tarball, versions), tarball);

/** Makes a project with the packed package and others in an empty folder. */
const installed = async (folder: string, tarball: string, versions: Record<string, string>): Promise<string> => {
  const dependencies = { ...versions, 'mastra-interlock': `file:${tarball}` };
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await runWell('npm', ['install', ...flags], { cwd: folder });
  return folder;
};

const projectIn = (project: string, tarball: string): Project => {
  return {
    folder: project,
    tarball,
    write: (path, content) => {
      const file = join(project, path);
      writeFileSync(`${file}.part`, content); // a concurrent test may be reading the file: it is never half written
      renameSync(`${file}.part`, file);
    },
    node: (version, args, env = {}) =>
      run(nodes[version], args, { cwd: project, env: { NODE_OPTIONS: nodeOptions[version], ...env } }),
    compile: (version, tsconfig) => run(nodes[24], [compilers[version], '-p', tsconfig, '--pretty', 'false'], { cwd: project }),
  };
};
