import { InterlockError } from '../../../src/index.js';
import { runFileElement, type RunFile } from '../../protocol/run-file.js';
import { readAsset, readPage } from '../http/pages.js';

/** The pages' module for a run; the entry imports it on demand. */
const runPageName = /^run-page-/;

/**
 * The studio's own pages with one run in them, as one HTML file that opens without a server. Raises `studio/no-assets` if the pages are
 * not built.
 */
export const onePage = (file: RunFile, folder: string): string => {
  const page = readPage(folder);
  const [entry, style] = [/src="\.\/assets\/([^"]+)"/, /href="\.\/assets\/([^"]+\.css)"/].map((found) => found.exec(page)?.[1]);
  const modules = new Map<string, string>();
  addModule(modules, folder, entry);
  const isOther = /<(?:base|link|script)\b[^>]*>(?:<\/script>)?/g; // other tags that would load files
  return page
    .replaceAll(isOther, '')
    .replace('</title>', () => `</title>${policy}<style>${textOf(folder, style)}</style>`)
    .replace(
      '</body>',
      () => `${data(runFileElement, file)}${data('modules', Object.fromEntries(modules))}<script>${boot(entry)}</script></body>`,
    );
};

/** A module and its imports. Modules of a document without a server have no addresses: they import each other by bare names. */
const addModule = (modules: Map<string, string>, folder: string, name: string | undefined): void => {
  if (name === undefined || modules.has(name)) return;
  const text = textOf(folder, name);
  modules.set(name, text.replaceAll(/(from|import\()(["'`])\.\/(?=[\w.-]+\.js\2)/g, '$1$2'));
  for (const [, , , imported = ''] of text.matchAll(/(from|import\()(["'`])\.\/([\w.-]+\.js)\2/g))
    if (!imported.includes('-page-') || runPageName.test(imported)) addModule(modules, folder, imported);
};

const textOf = (folder: string, name: string | undefined): string => {
  const bytes = name && readAsset(`${folder}/assets/${name}`);
  if (!bytes) throw new InterlockError('studio/no-assets', { path: folder });
  return new TextDecoder().decode(bytes);
};

/** The document sends no requests, whatever the run contains. */
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data:" />`;

/** Escapes markup as text. */
const data = (id: string, value: unknown): string =>
  `<script type="application/json" id="${id}">${JSON.stringify(value).replaceAll('<', '\\u003c')}</script>`;

const boot = (entry: string | undefined): string => `
const imports = {};
for (const [name, text] of Object.entries(JSON.parse(document.querySelector('#modules').textContent)))
  imports[name] = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
const map = Object.assign(document.createElement('script'), { type: 'importmap', textContent: JSON.stringify({ imports }) });
document.head.append(map);
import(${JSON.stringify(entry)});
`;
