import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

/** A path from the root of the repository. */
export const inRoot = (path: string): string => fileURLToPath(new URL(path, root));

/** A block of code in a document. */
export interface CodeBlock {
  readonly language: string;
  readonly code: string;
}

/** The blocks of code in a document, in their order. */
export const blocksIn = (document: string): CodeBlock[] =>
  Array.from(readFileSync(inRoot(document), 'utf8').matchAll(/^```(\w+)\n([^]*?)^```$/gm), ([, language = '', code = '']) => ({
    language,
    code,
  }));

/** The package as its users import it, from its sources. */
const tsconfig = {
  extends: '../../tsconfig.json',
  compilerOptions: {
    rootDir: '../..',
    paths: {
      'mastra-interlock': ['../../src/index.ts'],
      'mastra-interlock/ai-sdk': ['../../src/ai-sdk/index.ts'],
      'mastra-interlock/openworkflow': ['../../src/durable/openworkflow/index.ts'],
      'mastra-interlock/testing': ['../../src/testing/index.ts'],
      'mastra-interlock/studio': ['../../playground/server/index.ts'],
      'mastra-interlock/*': ['../../*/index.ts'],
    },
  },
  include: ['example-*.ts'],
};

const runNode = (args: readonly string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, args, { cwd: inRoot('.'), encoding: 'utf8', env: { PATH: process.env['PATH'], ...env } });

/** The TypeScript of a document, each block as a program of its own. */
export interface Examples {
  readonly codes: readonly string[];
  /** What the compiler says of them; empty where it has nothing to say. */
  complaints(): string[];
  /** What an example prints. */
  run(index: number): { readonly stdout: string; readonly stderr: string };
}

/** Writes a document's examples where they find their packages: inside the repository, neither committed nor linted. */
export const examplesIn = (document: string): Examples => {
  const place = inRoot(`test-output/${document.replaceAll(/\W+/g, '-').toLowerCase()}/`);
  const codes = blocksIn(document).flatMap(({ language, code }) => (language === 'ts' ? [code] : []));
  mkdirSync(place, { recursive: true });
  writeFileSync(`${place}tsconfig.json`, JSON.stringify(tsconfig));
  for (const [at, code] of codes.entries()) writeFileSync(`${place}example-${at}.ts`, code);
  return {
    codes,
    complaints: () => {
      const { stdout } = runNode([inRoot('node_modules/typescript/bin/tsc'), '-p', place]);
      return stdout.split('\n').filter((line) => line.includes('example-'));
    },
    run: (index) => runNode(['--import', 'tsx', `${place}example-${index}.ts`], { TSX_TSCONFIG_PATH: `${place}tsconfig.json` }),
  };
};
