import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { defineConfig } from 'vitepress';
import { writeApi } from '../api.ts';
import { homeOf } from '../home.ts';
import { sectionsOf } from '../pages.ts';

/** A copy of the pages: outside this folder they would not find the packages of the site. */
const docs = resolve(import.meta.dirname, '../pages');
rmSync(docs, { recursive: true, force: true });
cpSync(resolve(import.meta.dirname, '../../docs'), docs, { recursive: true });

/** The index is the home page, with the first screen of the README. */
const index = join(docs, 'README.md');
const contents = readFileSync(index, 'utf8');
const sectionsOfPages = sectionsOf(docs);
writeFileSync(index, homeOf(readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8'), contents));

/** The scorecard's page has every cell, with filters. */
const scorecard = join(docs, 'scorecard.md');
const withCells = readFileSync(scorecard, 'utf8').replace('\n## Cost\n', '\n## Every cell\n\n<ScorecardCells />\n\n## Cost\n');
writeFileSync(scorecard, withCells);

/** The live page has the pipeline itself. */
const live = join(docs, 'live.md');
const withPipeline = readFileSync(live, 'utf8')
  .replace(/ \(The editor is part[^)]*\)/, '')
  .replace('\n## Pipeline\n', '\n## Pipeline\n\n<LivePipeline />\n\n## How it works\n');
writeFileSync(live, withPipeline);

/** Pages whose tables need the width of the outline. */
const wide = new Set(['live.md', 'options.md', 'scorecard.md', 'reference/phases.md']);

/** Reports about the package itself: linked from pages that quote them, neither in the sidebar nor in the search. The home page repeats others. */
const isEvidence = ({ title }) => title === 'Evidence';
const unsearched = new Set([
  'index.md',
  ...sectionsOfPages.filter(isEvidence).flatMap(({ pages }) => pages.map(({ path }) => path)),
]);

const { description, repository } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
const api = await writeApi(join(docs, 'api'));
const sections = [...sectionsOfPages, { title: 'API', pages: api.map((page) => ({ ...page, about: 'what it exports' })) }];
const source = typeof repository === 'string' ? repository : repository?.url?.replace(/^git\+|\.git$/g, '');

/** Links to files outside the pages lead to the repository, where it is known; elsewhere only their words stay. */
const linkOut = (md) => {
  const targetOf = (href, page) => relative(docs, resolve(dirname(page), href)).replaceAll('\\', '/');
  const isOut = (href, page) => !/^(?:[a-z]+:|#|\/)/.test(href) && /^(?:\.\.|decisions)/.test(targetOf(href, page));
  md.core.ruler.push('link-out', ({ tokens, env }) => {
    for (const { children } of tokens)
      for (const token of children ?? []) {
        const href = token.attrGet?.('href');
        if (token.type !== 'link_open' || !href || !isOut(href, env.path)) continue;
        if (source) token.attrSet('href', new URL(targetOf(href, env.path), `${source}/blob/main/docs/`).href);
        else token.attrs = token.attrs.filter(([name]) => name !== 'href');
      }
  });
};

/** A title as the sidebar shows it; the names of entry points stay as they are. */
const labelOf = ({ title, path }) => (path.startsWith('api/') ? title : title[0].toUpperCase() + title.slice(1));

/** llms.txt: the table of contents for language models, with each page as Markdown next to its HTML. */
const writeForModels = (outDir) => {
  const list = sections.map(
    ({ title, pages }) =>
      `## ${title}\n\n${pages.map(({ title: name, path, about }) => `- [${name}](/${path}): ${about}`).join('\n')}`,
  );
  writeFileSync(join(outDir, 'llms.txt'), `# Interlock\n\n> ${description}\n\n${list.join('\n\n')}\n`);
  const originals = resolve(import.meta.dirname, '../../docs');
  for (const page of globSync('{*,guide/**/*,reference/*}.md', { cwd: originals }))
    cpSync(join(originals, page), join(outDir, page));
  cpSync(join(docs, 'api'), join(outDir, 'api'), { recursive: true });
};

export default defineConfig({
  title: 'Interlock',
  description,
  srcDir: docs,
  srcExclude: ['decisions/**'],
  rewrites: { 'README.md': 'index.md' },
  outDir: resolve(import.meta.dirname, '../dist'),
  cacheDir: resolve(import.meta.dirname, '../node_modules/.cache/vitepress'),
  vite: {
    esbuild: { tsconfigRaw: '{}' }, // its esbuild is older than the target of our tsconfig.json
    resolve: { alias: { 'node:timers/promises': resolve(import.meta.dirname, '../live/node-timers.ts') } },
    build: { rollupOptions: { external: [/^@mastra\//] } }, // guards on the live page do without Mastra
  },
  markdown: { config: linkOut },
  buildEnd: ({ outDir }) => writeForModels(outDir),
  transformPageData: ({ relativePath, frontmatter }) =>
    wide.has(relativePath) ? { frontmatter: { ...frontmatter, aside: false } } : undefined,
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        _render: (text, env, md) => (unsearched.has(env.relativePath) ? '' : md.render(text, env)),
        miniSearch: { searchOptions: { boostDocument: (id) => (id.includes('/api/') ? 0.3 : 1) } }, // guides first
      },
    },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/guide/start' },
      { text: 'Try it', link: '/live' },
      { text: 'Guarantees', link: '/guide/guarantees' },
      { text: 'Errors', link: '/reference/errors' },
    ],
    sidebar: sections
      .filter((section) => !isEvidence(section))
      .map(({ title, pages }) => ({
        text: title,
        ...(title === 'API' && { collapsed: true }),
        items: pages.map((page) => ({ text: labelOf(page), link: `/${page.path.replace(/\.md$/, '')}` })),
      })),
    ...(source && { socialLinks: [{ icon: 'github', link: source }] }),
  },
});
