import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Application } from 'typedoc';

import { entries } from '../scripts/entries.ts';

const root = resolve(import.meta.dirname, '..');

/** What is imported, in the order of the pages: a name that two entry points export is described where it comes first. */
const { 'mastra-interlock': _command, 'classifier-worker': _worker, index, guards, ...others } = entries;
const imported = { index, guards, ...others };

/** Writes a page for each entry point of the package, from the comments of its sources. Returns how each is imported, with its page. */
export const writeApi = async (out: string): Promise<{ title: string; path: string }[]> => {
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    tsconfig: join(import.meta.dirname, 'tsconfig.json'),
    entryPoints: Object.values(imported).map((source) => join(root, source)),
    outputs: [{ name: 'markdown', path: out }],
    sortEntryPoints: false,
    outputFileStrategy: 'modules',
    readme: 'none',
    hideBreadcrumbs: true,
    hidePageHeader: true,
    disableSources: true,
    excludeExternals: true,
    excludePrivate: true,
    skipErrorChecking: true, // the compiler of the repository checks the sources
    validation: false,
    logLevel: 'Error',
  });
  const project = await app.convert();
  if (!project) throw new Error('The API reference could not be made of the sources.');
  const modules = project.children ?? [];
  for (const [at, entry] of Object.keys(imported).entries()) {
    const module = modules[at];
    if (!module) throw new Error(`The API reference lacks ${entry}.`);
    module.name = entry;
  }
  await app.generateOutputs(project);
  rmSync(join(out, 'README.md')); // a list of the pages, which the sidebar is
  return Object.keys(imported).map((entry) => {
    const title = entry === 'index' ? 'mastra-interlock' : `mastra-interlock/${entry}`;
    const file = join(out, `${entry}.md`);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^# .*/, `# \`${title}\``));
    return { title, path: `api/${entry}.md` };
  });
};
