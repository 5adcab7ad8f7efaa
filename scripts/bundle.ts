import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { rolldown, type Plugin } from 'rolldown';
import { breakLines } from './break-lines.js';
import { markPure, shortenMarks } from './mark-pure.js';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const readManifest = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8')) as Manifest;

const { dependencies, peerDependencies } = readManifest('package.json');
/** The studio is mounted in the application's Hono, and shares its type. The standalone studio bundles its own. */
const { hono: _typesAlone, ...hosts } = peerDependencies;
const imported = Object.keys({ ...dependencies, ...hosts });
export const isExternal = (id: string): boolean => imported.some((name) => id === name || id.startsWith(`${name}/`));

/** The index of a country's formats for writing numbers; the library only validates numbers. */
const formats = 4;

/**
 * The table of phone numbers, compressed: uncompressed it would be a sixteenth of the package. It is read on the first search for
 * numbers.
 */
const numbersCompressed: Plugin = {
  name: 'numbers-compressed',
  load: {
    filter: { id: /metadata\.max\.json\.js$/ },
    handler: (id) => {
      const table = JSON.parse(/export default ([^]*?);?\s*$/.exec(readFileSync(id, 'utf8'))?.[1] ?? '') as NumberTable;
      for (const row of [table.countries, table.nonGeographic].flatMap((rows) => Object.values(rows))) row[formats] = 0;
      const packed = deflateRawSync(JSON.stringify(table), { level: 9, memLevel: 9 }).toString('base64');
      return [
        `import { inflateSync, strFromU8 } from ${JSON.stringify(fileURLToPath(import.meta.resolve('fflate/browser')))};`,
        `const read = (text) => JSON.parse(strFromU8(inflateSync(Uint8Array.from(atob(text), (each) => each.charCodeAt(0)))));`,
        `let table;`,
        `const load = () => (table ??= read('${packed}'));`,
        // Getters, because a call with arguments would keep the table in each bundle of a guard.
        `export default { ${Object.keys(table)
          .map((name) => `get ${name}() { return load().${name}; }`)
          .join(', ')} };`,
      ].join('\n');
    },
  },
};

interface NumberTable {
  readonly countries: Readonly<Record<string, unknown[]>>;
  readonly nonGeographic: Readonly<Record<string, unknown[]>>;
}

/** Records the bundled packages, and writes their licenses: a shared text once. */
const licenses: Plugin = {
  name: 'licenses',
  generateBundle(_options, bundle) {
    const files = Object.values(bundle).flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
    const folders = new Set(files.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []));
    const byTerms = Object.groupBy([...folders].toSorted().map(licenseIn), ({ terms }) => wordsOf(terms));
    const texts = Object.values(byTerms).map((all = []) => [...all.map(({ holder }) => holder), all[0]?.terms].join('\n\n'));
    this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n` });
  },
};

/** A package and its copyright holder, and the terms of its license. */
const licenseIn = (folder: string): { readonly holder: string; readonly terms: string } => {
  const { name, version, license = '' } = readManifest(join(folder, 'package.json'));
  const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder });
  const lines = file ? readFileSync(join(folder, file), 'utf8').trim().split('\n') : [];
  const isOfHolder = (line: string): boolean => /^\s*(?:copyright (?:\(c\)|©|\d)|\(?the mit license|mit license)/i.test(line);
  const terms = lines.filter((line) => !isOfHolder(line)).join('\n');
  return { holder: [`${name} ${version} (${license})`, ...lines.filter(isOfHolder)].join('\n'), terms: terms.trim() };
};

const wordsOf = (text: string): string => text.replace(/[“”]/g, '"').replace(/\s+/g, ' ');

/** Small modules of most entry points, together: Node takes half a millisecond for each file. */
const small =
  /interlock:computed|\/src\/(?:errors|error-table|library|option-kind|integration|(?:loop\/interruption|phase\/memo|trace\/(?:percentile|kinds)))\b/;

/** Small modules of several engines, together. */
const ofEngines = /\/src\/durable\/(?:calls|ledger|option-checks|watches)\b/;

/** Bundles entry points into a folder, like the package: dependencies and peers stay imports, everything else becomes part of the files. */
export const bundleCode = async (input: Readonly<Record<string, string>>, dir: string): Promise<void> => {
  const bundle = await rolldown({
    input: { ...input },
    platform: 'neutral', // with "node" a file for browsers would import `node:module`
    resolve: {
      conditionNames: ['node', 'import', 'default'],
      mainFields: ['module', 'main'],
    },
    external: (id) => id.startsWith('node:') || isExternal(id),
    plugins: [markPure, numbersCompressed, licenses],
  });
  const { output } = await bundle.write({
    dir,
    format: 'esm',
    chunkFileNames: 'shared-[name].js',
    codeSplitting: {
      groups: [
        { name: 'errors', test: small },
        { name: 'engines', test: ofEngines },
      ],
    },
    sourcemap: true,
    sourcemapExcludeSources: true,
    minify: { compress: true, mangle: { keepNames: { class: true, function: false } }, codegen: { removeWhitespace: true } },
    comments: { jsdoc: false, annotation: true, legal: false },
  });
  await bundle.close();
  for (const { fileName } of output) {
    const path = join(dir, fileName);
    if (!existsSync(`${path}.map`)) continue;
    const written = { code: readFileSync(path, 'utf8'), map: readFileSync(`${path}.map`, 'utf8') };
    const { code, map } = breakLines(shortenMarks(written));
    writeFileSync(path, code);
    writeFileSync(`${path}.map`, map);
  }
};
