import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown, type Plugin } from 'rolldown';
import { breakLines } from './break-lines.js';
import { markPure } from './mark-pure.js';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const readManifest = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8')) as Manifest;

const { dependencies, peerDependencies } = readManifest('package.json');
/** The studio is mounted in the application's Hono, whose type it shares; to serve itself it brings its own. */
const { hono: _typesAlone, ...hosts } = peerDependencies;
const imported = Object.keys({ ...dependencies, ...hosts });
export const isExternal = (id: string): boolean => imported.some((name) => id === name || id.startsWith(`${name}/`));

/** Tables of numbers as text that is parsed: an engine reads that several times faster than an object in code. */
const tablesAsText: Plugin = {
  name: 'tables-as-text',
  load: {
    filter: { id: /metadata\.max\.json\.js$/ },
    handler: (id) => {
      const table: unknown = JSON.parse(/export default ([^]*?);?\s*$/.exec(readFileSync(id, 'utf8'))?.[1] ?? '');
      return `export default /* @__PURE__ */ JSON.parse(${JSON.stringify(JSON.stringify(table))});`;
    },
  },
};

/** Notes which packages become part of the files, and writes their licenses. */
const licenses: Plugin = {
  name: 'licenses',
  generateBundle(_options, bundle) {
    const files = Object.values(bundle).flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
    const folders = new Set(files.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []));
    const source = [...folders]
      .toSorted()
      .map(licenseIn)
      .join(`\n${'-'.repeat(80)}\n\n`);
    this.emitFile({ type: 'asset', fileName: 'licenses.txt', source });
  },
};

const licenseIn = (folder: string): string => {
  const { name, version, license = '' } = readManifest(join(folder, 'package.json'));
  const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder });
  return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`;
};

/** The build of `lru-cache` that imports nothing of Node, since guards run elsewhere, too. */
const withoutNode = resolve('node_modules/lru-cache/dist/esm/browser/index.js');

/** Bundles entry points into a folder as the package is: its dependencies and peers stay imports, everything else becomes part of the files. */
export const bundleCode = async (input: Readonly<Record<string, string>>, dir: string): Promise<void> => {
  const bundle = await rolldown({
    input: { ...input },
    platform: 'neutral', // with "node" a file for browsers would import `node:module`
    resolve: {
      conditionNames: ['node', 'import', 'default'],
      mainFields: ['module', 'main'],
      alias: { 'lru-cache': withoutNode },
    },
    external: (id) => id.startsWith('node:') || isExternal(id),
    plugins: [markPure, tablesAsText, licenses],
  });
  const { output } = await bundle.write({
    dir,
    format: 'esm',
    chunkFileNames: 'shared-[name].js',
    sourcemap: true,
    sourcemapExcludeSources: true,
    minify: { compress: true, mangle: { keepNames: { class: true, function: false } }, codegen: { removeWhitespace: true } },
    comments: { jsdoc: false, annotation: true, legal: false },
  });
  await bundle.close();
  for (const { fileName } of output) {
    const path = join(dir, fileName);
    if (!existsSync(`${path}.map`)) continue;
    const { code, map } = breakLines({ code: readFileSync(path, 'utf8'), map: readFileSync(`${path}.map`, 'utf8') });
    writeFileSync(path, code);
    writeFileSync(`${path}.map`, map);
  }
};
