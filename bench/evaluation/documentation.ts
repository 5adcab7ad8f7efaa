import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = `${root}node_modules/`;

/** Texts of this project's packages. */
export interface PackageTexts {
  readonly documentation: readonly string[];
  readonly licenses: readonly string[];
  readonly lockFiles: readonly string[];
}

/** Texts of the packages that this project installs, whose versions are pinned. */
export const readPackages = (): PackageTexts => ({
  documentation: textsOf('@mastra/*/dist/docs/**/*.md', '*/README.md', '@*/*/README.md'),
  licenses: textsOf('{,@*/}*/{LICENSE,LICENCE,license}*'),
  lockFiles: globSync(['package-lock.json', '*/package-lock.json', '{test,scorecard}/*/package-lock.json'], { cwd: root })
    .toSorted()
    .map((path) => readFileSync(`${root}${path}`, 'utf8')),
});

/** The different texts of files in installed packages. */
const textsOf = (...patterns: readonly string[]): string[] => {
  const paths = globSync(patterns, { cwd: folder, withFileTypes: true }).filter((file) => file.isFile());
  const texts = paths.map(({ parentPath, name }) => readFileSync(`${parentPath}/${name}`, 'utf8'));
  return [...new Set(texts)].filter(Boolean).toSorted();
};
