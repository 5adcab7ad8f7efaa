// Rejects a package that npm would refuse after the build: provenance needs `repository` in package.json, and the workflow that publishes has
// to belong to it. Also rejects a package without `homepage`, the address that errors print, and without `bugs`.
// Run by `npm run release:publish`, before anything else.
import { readFileSync } from 'node:fs';

const { repository, homepage, bugs } = JSON.parse(readFileSync('package.json', 'utf8'));
const { GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY } = process.env;

/** `git+https://github.com/owner/name.git` and `github:owner/name` as the address of a page. */
const pageOf = (url) =>
  url
    .replace(/^git\+/, '')
    .replace(/\.git$/, '')
    .replace(/^(?:github:)?(?=[\w.-]+\/[\w.-]+$)/, 'https://github.com/');

const declared = typeof repository === 'string' ? repository : repository?.url;
const publishing = GITHUB_REPOSITORY && `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;

/** Whether a value is an address on the web, and not a placeholder. */
const isAddress = (value) =>
  typeof value === 'string' && /^https:\/\/[\w-]+\./.test(value) && !/OWNER|NAME|example\.(?:com|org)/.test(value);

const complaint = () => {
  if (typeof declared !== 'string' || declared === '') {
    const url = publishing ? `git+${publishing}.git` : 'git+https://github.com/OWNER/NAME.git';
    return `package.json has no repository, and npm takes no provenance without one. Add: "repository": { "type": "git", "url": "${url}" }`;
  }
  if (!publishing)
    return 'Provenance is signed by a workflow of GitHub: nothing is published from elsewhere. See .github/workflows/release.yml.';
  if (pageOf(declared) !== publishing)
    return `package.json says that its repository is ${pageOf(declared)}, and ${publishing} publishes it: npm rejects the provenance of another repository.`;
  if (!isAddress(homepage))
    return 'package.json needs "homepage": the address of the published documentation (npm run site), which errors print. Then run node scripts/stamp-version.mjs.';
  if (!isAddress(typeof bugs === 'string' ? bugs : bugs?.url))
    return `package.json needs "bugs": { "url": "${publishing}/issues" }.`;
  if (!readFileSync('src/library.ts', 'utf8').includes(`'${homepage.replace(/\/$/, '')}'`))
    return 'Errors do not print the homepage of package.json: run node scripts/stamp-version.mjs, and commit.';
  return undefined;
};

const problem = complaint();
if (problem !== undefined) {
  console.error(`Not published. ${problem}`);
  process.exitCode = 1;
}
