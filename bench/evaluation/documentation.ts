import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../node_modules/', import.meta.url));

/** Pages of documentation in the packages that this project installs, whose versions are pinned. */
export const readDocumentation = (): string[] => {
  const paths = ['@mastra/*/dist/docs/**/*.md', '*/README.md', '@*/*/README.md'].flatMap((pattern) =>
    globSync(pattern, { cwd: folder }),
  );
  return [...new Set(paths.toSorted().map((path) => readFileSync(`${folder}${path}`, 'utf8')))].filter(Boolean);
};
