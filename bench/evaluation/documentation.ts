import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = `${root}node_modules/`;

/** Texts of this project's packages. */
export interface PackageTexts {
  readonly documentation: readonly string[];
  readonly lockFiles: readonly string[];
}

/** Texts of the packages that this project installs, whose versions are pinned. */
export const readPackages = (): PackageTexts => ({
  documentation: readDocumentation(),
  lockFiles: globSync(['package-lock.json', '*/package-lock.json', '{test,scorecard}/*/package-lock.json'], { cwd: root })
    .toSorted()
    .map((path) => readFileSync(`${root}${path}`, 'utf8')),
});

const readDocumentation = (): string[] => {
  const paths = ['@mastra/*/dist/docs/**/*.md', '*/README.md', '@*/*/README.md'].flatMap((pattern) =>
    globSync(pattern, { cwd: folder }),
  );
  return [...new Set(paths.toSorted().map((path) => readFileSync(`${folder}${path}`, 'utf8')))].filter(Boolean);
};
