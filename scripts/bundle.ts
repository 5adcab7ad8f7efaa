import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { rolldown, type Plugin } from 'rolldown';
import { minifySync } from 'rolldown/experimental';
import { markPure } from './mark-pure.js';
import { factsTable } from './facts-table.js';

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

/** Libraries that only some entry points need, or that are large. Node takes a millisecond for each file, so the others share one. */
const large =
  /^(?:@eslint-community.regexpp|libphonenumber-js|ipaddr\.js|validator|cockatiel|@noble.hashes|safe-stable-stringify|hono|@hono.node-server)$/;

/**
 * The file of a module: each built-in guard has one of its own, other modules share one with their folder or layer. Modules of one file that
 * different entry points need are split again. No file imports itself through another one: `bundleCode` checks that.
 */
const fileOf = (id: string): string | null => {
  const [, library] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id) ?? [];
  if (library) return large.test(library) ? `library-${library.replace(/^@/, '').replaceAll(/[/.]/g, '-')}` : 'libraries';
  const path = relative(process.cwd(), id);
  const guard = /^workflows\/guards\/(.*-guard)\.ts$/.exec(path)?.[1];
  return guard ?? files.find(([, pattern]) => pattern.test(path))?.[0] ?? null;
};

const files: readonly (readonly [name: string, paths: RegExp])[] = [
  ['studio', /^playground\//],
  ['command-line', /^bin\//],
  ['schemas', /^schemas\//],
  ['patterns', /^workflows\/(?:messages|patterns|stream|text)\//],
  ['guard-parts', /^workflows\/guards\//],
  ...['classifier', 'injection', 'judge', 'links', 'redactor', 'tool-policy', 'unicode'].map(
    (folder) => [folder, new RegExp(`^workflows/${folder}/`)] as const,
  ),
  ['core', /^src\/(?:(?:guard|phase|pipeline|plain|stream|trace|mastra\/graph|mastra\/messages)\/|mastra\/[^/]+$)/],
  ['agent', /^src\/mastra\//],
  ...['ai-sdk', 'durable', 'eval', 'loop', 'otel', 'testing', 'ui'].map(
    (folder) => [folder, new RegExp(`^src/${folder}/`)] as const,
  ),
  ['errors', /^src\/(?!index|engine|replay)/],
];

/** Files of other projects, and of programs that print codes of errors: no stack trace of an application leads there. */
const minified: Plugin = {
  name: 'minified',
  renderChunk: (code, { fileName }) =>
    /^shared-(?:librar(?!y-validator)|studio|command-line)/.test(fileName)
      ? minifySync(fileName, code, { module: true }).code
      : undefined,
};

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
    plugins: [markPure, numbersCompressed, factsTable, licenses, minified],
    preserveEntrySignatures: 'allow-extension',
  });
  const { output } = await bundle.write({
    dir,
    format: 'esm',
    chunkFileNames: ({ name }) => `shared-${name.replace(/~.*/, '')}.js`,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: fileOf, debugName: 'files', entriesAware: true }],
    },
    minify: false,
    comments: { jsdoc: false, annotation: true, legal: false },
  });
  await bundle.close();
  checkOrder(new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file.imports] as const] : []))));
};

/** A file that imports itself through another one would use constants before they have values. */
const checkOrder = (imports: ReadonlyMap<string, readonly string[]>): void => {
  const checked = new Set<string>();
  const check = (name: string, through: readonly string[]): void => {
    if (through.includes(name)) throw new Error(`Files of the package import each other: ${[...through, name].join(' -> ')}.`);
    if (checked.has(name)) return;
    for (const next of imports.get(name) ?? []) check(next, [...through, name]);
    checked.add(name);
  };
  for (const name of imports.keys()) check(name, []);
};
