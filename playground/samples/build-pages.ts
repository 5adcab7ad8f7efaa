import { globSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { builtPages } from '../server/http/pages.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds the studio's pages where they were never built, or were changed since. */
export const buildPages = async (say: (line: string) => void): Promise<void> => {
  if (changedAt([`${builtPages()}/index.html`]) > changedAt(sources())) return;
  say('Building the studio’s pages; this takes a few seconds …');
  const { build } = await import('vite');
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production'; // in a process of tests as well: the pages are those that are shipped
  try {
    await build({ configFile: `${root}playground/web/vite.config.ts`, logLevel: 'warn' });
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
};

const sources = (): string[] => [
  ...globSync(`${root}playground/{web,protocol}/**/*`, { exclude: (name) => name.includes('node_modules') }),
  `${root}package-lock.json`,
];

/** When the last of these files was changed; 0 where there are none. */
const changedAt = (files: readonly string[]): number =>
  Math.max(0, ...files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0));
