import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

import { documents, inRoot } from './examples.js';

const pages = [...documents, ...globSync('docs/decisions/*.md', { cwd: inRoot('.') })];

/** A document without its code, in which brackets are no links and `#` is no heading. */
const proseOf = (document: string): string => readFileSync(inRoot(document), 'utf8').replaceAll(/^```[^]*?^```$/gm, '');

/** GitHub's anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');

const anchorsIn = (document: string): ReadonlySet<string> => {
  const times = new Map<string, number>();
  const anchors = Array.from(proseOf(document).matchAll(/^#{1,6} (.+)$/gm), ([, heading = '']) => {
    const anchor = anchorOf(heading);
    const before = times.get(anchor) ?? 0;
    times.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
  return new Set(anchors);
};

/** The links of a document to files in the repository, including pictures. */
const linksIn = (document: string): string[] => {
  const prose = proseOf(document).replaceAll(/`[^`\n]*`/g, '');
  const inline = Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
  const html = Array.from(prose.matchAll(/(?:src|srcset|href)="([^"]+)"/g), ([, target = '']) => target);
  return [...inline, ...html].filter((target) => !/^(https?|mailto):/.test(target));
};

const complaint = (document: string, link: string): string | undefined => {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? document : posix.join(posix.dirname(document), decodeURI(path));
  if (!existsSync(inRoot(target))) return `${link}: there is no ${target}`;
  if (anchor !== undefined && target.endsWith('.md') && !anchorsIn(target).has(anchor)) return `${link}: no such heading`;
  return undefined;
};

describe('links between documents', () => {
  it.each(pages)('%s', (document) => {
    expect(linksIn(document).flatMap((link) => complaint(document, link) ?? [])).toEqual([]);
  });

  it('lead from the index to every page', () => {
    const index = 'docs/README.md';
    const led = new Set(linksIn(index).map((link) => posix.join('docs', link.split('#')[0] ?? '')));
    expect(documents.filter((page) => page.startsWith('docs/') && page !== index && !led.has(page))).toEqual([]);
  });

  it('exist in the documents', () => {
    expect(linksIn('README.md').length).toBeGreaterThan(20);
    expect(complaint('README.md', 'docs/none.md')).toBeDefined();
    expect(complaint('README.md', 'docs/options.md#none')).toBeDefined();
  });
});
