// Refuses to publish what npm would refuse after the build: provenance needs `repository` in package.json, and it has to be the repository
// whose workflow publishes. Run by `npm run release:publish`, before anything else.
import { readFileSync } from 'node:fs';

const { repository } = JSON.parse(readFileSync('package.json', 'utf8'));
const { GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY } = process.env;

/** `git+https://github.com/owner/name.git` and `github:owner/name` as the address of a page. */
const pageOf = (url) =>
  url
    .replace(/^git\+/, '')
    .replace(/\.git$/, '')
    .replace(/^(?:github:)?(?=[\w.-]+\/[\w.-]+$)/, 'https://github.com/');

const told = typeof repository === 'string' ? repository : repository?.url;
const publishing = GITHUB_REPOSITORY && `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;

const complaint = () => {
  if (typeof told !== 'string' || told === '') {
    const url = publishing ? `git+${publishing}.git` : 'git+https://github.com/OWNER/NAME.git';
    return `package.json has no repository, and npm takes no provenance without one. Add: "repository": { "type": "git", "url": "${url}" }`;
  }
  if (!publishing)
    return 'Provenance is signed by a workflow of GitHub: nothing is published from elsewhere. See .github/workflows/release.yml.';
  if (pageOf(told) !== publishing)
    return `package.json says that its repository is ${pageOf(told)}, and ${publishing} publishes it: npm refuses the provenance of another.`;
  return undefined;
};

const what = complaint();
if (what !== undefined) {
  console.error(`Not published. ${what}`);
  process.exitCode = 1;
}
