// Run by npm around packing: gives the pages in the package absolute links to the repository at this version, since the files behind
// relative ones are not in the package. `--restore` brings the originals back. Without `repository` in package.json, which a release
// requires, the pages stay unchanged.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import process from 'node:process';

const pages = ['README.md', 'docs/guide/policies.md', 'docs/options.md', 'docs/reference/errors.md'];
const { repository, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const declared = typeof repository === 'string' ? repository : repository?.url;
const source = declared?.replace(/^git\+|\.git$/g, '').replace(/^(?:github:)?(?=[\w.-]+\/[\w.-]+$)/, 'https://github.com/');

/** The text of a page with absolute targets of links and pictures; anchors within the page and code are unchanged. */
const absolute = (page) =>
  readFileSync(page, 'utf8')
    .split(/(^```[^]*?^```$)/m)
    .map((text) =>
      text.startsWith('```')
        ? text
        : text.replaceAll(/(?<=\]\()(?![a-z]+:|#|\/)[^)\s]+/g, (target) => {
            const path = posix.join(posix.dirname(page), target);
            return `${source}/${/\.(?:png|svg|gif)$/.test(path) ? 'raw' : 'blob'}/v${version}/${path}`;
          }),
    )
    .join('');

for (const page of pages) {
  const original = `node_modules/.cache/pack/${page}`;
  if (existsSync(original)) renameSync(original, page);
  if (process.argv.includes('--restore') || !source) continue;
  mkdirSync(posix.dirname(original), { recursive: true });
  cpSync(page, original);
  writeFileSync(page, absolute(page));
}
