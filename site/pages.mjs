import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

/**
 * The pages that docs/README.md leads to, under its headings: the one table of contents, for the sidebar and for llms.txt.
 *
 * @param {string} docs The folder of the pages.
 * @returns {{ title: string, pages: { title: string, path: string, about: string }[] }[]}
 */
export const sectionsOf = (docs) =>
  readFileSync(posix.join(docs, 'README.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.split('\n', 1)[0],
      pages: section.split('\n').flatMap((row) => {
        const [, cell, about = ''] = /^\| (\[.*?) \| (.*) \|$/.exec(row) ?? [];
        return Array.from((cell ?? '').matchAll(/\[([^\]]+)\]\(([^)#]+\.md)(?:#[^)]*)?\)/g))
          .filter(([, , path]) => !path.startsWith('..'))
          .map(([, title, path]) => ({ title, path, about: about.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1') }));
      }),
    }))
    .map(({ title, pages }) => ({
      title,
      pages: pages.filter(({ path }, at) => pages.findIndex((one) => one.path === path) === at),
    }));
