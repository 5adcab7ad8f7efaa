import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { brotliCompressSync } from 'node:zlib';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { bundleCode, isExternal } from './bundle.js';
import { entries, withoutMastra } from './entries.js';

/**
 * Builds the package: one file of code and one of declarations for each entry point, and shared files. Packages that
 * package.json lists as dependencies or peers are imported; the others become part of the files, with their licenses in `licenses.txt`.
 *
 *   node --import ./scripts/strip-types.mjs scripts/build.ts [--out <folder>] [--no-pages]
 */
const { values } = parseArgs({
  options: { out: { type: 'string', default: 'dist' }, pages: { type: 'boolean', default: true } },
  allowNegative: true,
});
const out = resolve(values.out);

const writeCode = async (): Promise<void> => {
  await bundleCode(entries, out);
  for (const path of globSync('*.js', { cwd: out })) trimMap(join(out, path));
};

/** A file of re-exports needs no map, nor does one without code of ours. */
const trimMap = (path: string): void => {
  const code = readFileSync(path, 'utf8');
  const map = code.length > 2_000 && mapOfLines(readFileSync(`${path}.map`, 'utf8'), code.split('\n'));
  if (map) return writeFileSync(`${path}.map`, map);
  rmSync(`${path}.map`, { force: true });
  writeFileSync(path, code.replace(/\/\/# sourceMappingURL=.*\n?$/, ''));
};

/** Stack traces name calls and other code that may throw. */
const mayThrow = /[([.`]|[}\]]=|\b(?:new|throw|await|yield|of|in|instanceof)\b/;

/** Contents of each source in a map. The package has no sources; without contents, tools read the named files, and Turbopack fails. */
const noSource = '// not in the package';

/**
 * A source map of our own files, except the command line and the studio, which print codes of errors: with line numbers, without columns, for the
 * lines that a stack trace can name. A tenth of the space. Undefined without such a file.
 */
const mapOfLines = (source: string, code: readonly string[]): string | undefined => {
  const map = JSON.parse(source) as { sources: string[]; mappings: string };
  const own = map.sources.filter((path) => !/(?:node_modules|\bbin|\bplayground)\//.test(path));
  if (own.length === 0) return undefined;
  const indexes = map.sources.map((path) => own.indexOf(path));
  const mappings = decode(map.mappings).map((segments, at) => {
    let last = '';
    const lines = segments.flatMap(([column, file, line]): [number, number, number, number][] => {
      const index = file === undefined ? -1 : (indexes[file] ?? -1);
      if (index < 0 || line === undefined || last === `${index}:${line}`) return [];
      last = `${index}:${line}`;
      return [[column, index, line, 0]];
    });
    return lines.filter(([column], index) => mayThrow.test(code[at]?.slice(column, lines[index + 1]?.[0]) ?? ''));
  });
  const paths = own.map((path) => relative(process.cwd(), resolve(out, path)));
  const folder = folderOf(paths);
  const sources = paths.map((path) => path.slice(folder.length));
  const sourcesContent = sources.map(() => noSource);
  return JSON.stringify({
    version: 3,
    sourceRoot: `../${folder}`,
    sources,
    sourcesContent,
    names: [],
    mappings: encode(mappings),
  });
};

/** The innermost folder that contains all of these paths, with its `/`; empty if there is none. */
const folderOf = ([first = '', ...others]: readonly string[]): string => {
  const isShared = (folder: string) => others.every((path) => path.startsWith(folder));
  let end = first.lastIndexOf('/') + 1;
  while (!isShared(first.slice(0, end))) end = first.lastIndexOf('/', end - 2) + 1;
  return first.slice(0, end);
};

const writeTypes = async (): Promise<void> => {
  const folder = resolve('node_modules/.cache/types');
  rmSync(folder, { recursive: true, force: true });
  execFileSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', folder],
    { stdio: 'inherit' },
  );
  const { 'mastra-interlock': _command, 'classifier-worker': _worker, ...typed } = entries;
  const input = Object.fromEntries(
    Object.entries(typed).map(([name, path]) => [name, join(folder, path.replace(/\.ts$/, '.d.ts'))]),
  );
  const bundle = await rolldown({
    input,
    external: (id) => id.startsWith('node:') || id === 'hono' || isExternal(id),
    plugins: [dts({ dtsInput: true, tsconfig: false, generator: 'oxc' })],
  });
  await bundle.write({ dir: out, format: 'esm', chunkFileNames: 'shared-[name].ts' });
  await bundle.close();
  for (const path of withoutMastra.flatMap((entry) => typesOf(`./${entry}.js`))) useOwnTypes(path);
  cpSync('scripts/mastra.d.ts', join(out, 'mastra.d.ts'));
  for (const path of globSync(join(out, '*.d.ts'))) {
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      text.replace(/^(?: {2})+/gm, (indent) => '\t'.repeat(indent.length / 2)),
    );
  }
};

/** The files of declarations that a file imports, itself included. */
const typesOf = (specifier: string, known = new Set<string>()): string[] => {
  const path = join(out, specifier.replace(/\.js$/, '.d.ts'));
  if (known.has(path)) return [];
  known.add(path);
  const imports = readFileSync(path, 'utf8').matchAll(/(?:from |import\()"(\.\/.*?)"/g);
  return [path, ...[...imports].flatMap(([, imported = '']) => typesOf(imported, known))];
};

/** Replaces imports of Mastra's types by `scripts/mastra.d.ts`, which needs no Mastra. */
const useOwnTypes = (path: string): void =>
  writeFileSync(path, readFileSync(path, 'utf8').replace(/((?:from |import\()")@mastra\/core\/.*?"/g, '$1./mastra.js"'));

/** The studio's pages; the package contains only the compressed files. */
const writePages = async (): Promise<void> => {
  const { build } = await import('vite');
  const outDir = join(out, 'studio');
  await build({
    configFile: 'playground/web/vite.config.ts',
    logLevel: 'warn',
    build: { outDir, license: { fileName: 'licenses.txt' } },
  });
  for (const path of globSync('{assets/*,licenses.txt}', { cwd: outDir })) {
    writeFileSync(join(outDir, `${path}.br`), brotliCompressSync(readFileSync(join(outDir, path))));
    rmSync(join(outDir, path));
  }
};

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await writeCode();
await writeTypes();
if (values.pages) await writePages();
for (const path of globSync('*.{js,ts}', { cwd: out }).toSorted())
  console.log(`${String(readFileSync(join(out, path)).length).padStart(8)}  ${basename(path)}`);
