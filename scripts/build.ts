import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { brotliCompressSync } from 'node:zlib';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
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

const writeTypes = async (): Promise<void> => {
  const folder = resolve('node_modules/.cache/types');
  rmSync(folder, { recursive: true, force: true });
  execFileSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--noCheck', '--outDir', folder],
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
await bundleCode(entries, out);
await writeTypes();
if (values.pages) await writePages();
for (const path of globSync('*.{js,ts}', { cwd: out }).toSorted())
  console.log(`${String(readFileSync(join(out, path)).length).padStart(8)}  ${basename(path)}`);
