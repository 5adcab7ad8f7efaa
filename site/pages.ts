import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

interface Page {
  readonly title: string;
  /** From the folder of the pages. */
  readonly path: string;
  readonly about: string;
}

export interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** The pages that docs/README.md leads to, under its headings: the one table of contents, for the sidebar and for llms.txt. */
export const sectionsOf = (docs: string): Section[] =>
  readFileSync(posix.join(docs, 'README.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...rows] = section.split('\n');
      const pages = rows.flatMap(pagesIn);
      return { title, pages: pages.filter(({ path }, at) => pages.findIndex((one) => one.path === path) === at) };
    });

/** The pages that the first cell of a row links to. */
const pagesIn = (row: string): Page[] => {
  const [, links = '', about = ''] = /^\| (\[.*?) \| (.*) \|$/.exec(row) ?? [];
  return Array.from(links.matchAll(/\[([^\]]+)\]\(([^)#]+\.md)(?:#[^)]*)?\)/g), ([, title = '', path = '']) => ({
    title,
    path,
    about: about.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'),
  })).filter(({ path }) => !path.startsWith('..'));
};
