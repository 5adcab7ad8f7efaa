import { execFile } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { sourceOf } from '../../scripts/entries.js';

const root = new URL('../../', import.meta.url);

/** A path from the root of the repository. */
export const inRoot = (path: string): string => fileURLToPath(new URL(path, root));

/** The documents for users; decision records describe only their own time. */
export const documents: readonly string[] = [
  'README.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'docs/**/*.md',
  'examples/*/README.md',
]
  .flatMap((pattern) => globSync(pattern, { cwd: inRoot('.') }))
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.startsWith('docs/decisions/'))
  .toSorted();

/** A block of code in a document. */
export interface CodeBlock {
  readonly language: string;
  readonly code: string;
}

/** The blocks of code in a document, in their order. */
export const blocksIn = (document: string): CodeBlock[] =>
  Array.from(readFileSync(inRoot(document), 'utf8').matchAll(/^```(\w*)\n([^]*?)^```$/gm), ([, language = '', code = '']) => ({
    language,
    code,
  }));

/** A program in a document. */
export interface Example {
  readonly document: string;
  /** Its place in the document's programs, from 1. */
  readonly number: number;
  readonly code: string;
  /** The documented output: the block of `text` directly below it. */
  readonly prints: string | undefined;
}

/** The TypeScript of a document, each block a separate program. */
export const examplesIn = (document: string): Example[] =>
  blocksIn(document)
    .map(({ language, code }, at, blocks) => ({ language, code, below: blocks[at + 1] }))
    .filter(({ language }) => language === 'ts')
    .map(({ code, below }, at) => ({
      document,
      number: at + 1,
      code,
      prints: below?.language === 'text' ? below.code : undefined,
    }));

/** Inside the repository, so that examples find their packages; neither committed nor linted. */
const place = inRoot('test-output/documents/');

const fileOf = ({ document, number }: Example): string => `${document.replaceAll(/\W+/g, '-').toLowerCase()}-${number}.ts`;

interface PackageJson {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

/** The source of each subpath in package.json, by its import specifier. */
export const subpathSources = (): Record<string, string> => {
  const { exports } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8')) as PackageJson;
  return Object.fromEntries(
    Object.entries(exports).flatMap(([subpath, target]) => {
      if (typeof target === 'string') return []; // package.json itself
      return [[subpath.replace(/^\./, 'mastra-interlock'), sourceOf(target.default)]];
    }),
  );
};

/** The stdout of a Node program; the reader of its text checks how it ended. */
const stdoutOf = (args: readonly string[], env: Record<string, string> = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { cwd: inRoot('.'), env: { PATH: process.env['PATH'], ...env }, maxBuffer: 2 ** 24 };
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      stdout === '' && error ? reject(new Error(stderr, { cause: error })) : resolve(stdout),
    );
  });

/** The programs of documents, in one folder under one `tsconfig.json`. */
export interface WrittenExamples {
  /** The compiler's errors, by file; empty if there are none. */
  readonly complaints: () => Promise<string[]>;
  /** Runs all of them, and returns their output. */
  readonly run: () => Promise<ReadonlyMap<Example, string>>;
}

/** Writes programs to a folder where they can be compiled and run. */
export const writeExamples = (examples: readonly Example[]): WrittenExamples => {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const paths = Object.fromEntries(Object.entries(subpathSources()).map(([subpath, source]) => [subpath, [`../../${source}`]]));
  const compilerOptions = { rootDir: '../..', paths };
  writeFileSync(`${place}tsconfig.json`, JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'] }));
  for (const example of examples) writeFileSync(place + fileOf(example), example.code);
  return {
    complaints: async () => {
      const output = await stdoutOf([inRoot('node_modules/typescript/bin/tsc'), '-p', place, '--pretty', 'false']);
      return output.split('\n').filter((line) => line.startsWith('test-output/documents/'));
    },
    run: async () => {
      const files = examples.map((example) => place + fileOf(example));
      const args = ['--import', 'tsx', inRoot('test/docs/run-examples.ts'), ...files];
      const printed = JSON.parse(await stdoutOf(args, { TSX_TSCONFIG_PATH: `${place}tsconfig.json` })) as Record<string, string>;
      return new Map(examples.map((example) => [example, printed[place + fileOf(example)] ?? '']));
    },
  };
};
