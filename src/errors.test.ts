import { existsSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';

import { errorTable, InterlockError } from './errors.js';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const { homepage, files } = JSON.parse(read('package.json')) as { homepage?: string; files: readonly string[] };

it('every error links to its entry: below the homepage, or in the installed package', () => {
  const page = homepage
    ? `${homepage.replace(/\/$/, '')}/reference/errors.html`
    : 'node_modules/mastra-interlock/docs/reference/errors.md';
  expect(new InterlockError('guard/deadline').docs).toBe(`${page}#guard-deadline`);
  expect(files).toContain('docs/reference/errors.md');
  expect(existsSync(new URL('docs/reference/errors.md', root))).toBe(true);
});

it('the error page has an entry for every code', () => {
  const page = read('docs/reference/errors.md');
  const anchorOf = (code: string): string => new InterlockError(code as keyof typeof errorTable).docs.replace(/^.*#/, '');
  expect(Object.keys(errorTable).filter((code) => !page.includes(`<a id="${anchorOf(code)}"></a>`))).toEqual([]);
});

it('Node prints the link with the error, and the message does not contain it', () => {
  const error = new InterlockError('guard/deadline', { path: 'pii' });
  expect(inspect(error)).toContain(`docs: '${error.docs}'`);
  expect(error.message).not.toContain(error.docs);
});
