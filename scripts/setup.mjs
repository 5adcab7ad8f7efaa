/**
 * Installs the dependencies when the installed ones are not those of package-lock.json, and does nothing otherwise.
 * `npm start` and `npm test` run it first. Plain JavaScript without imports from npm: it must run before any install, on
 * Node 20. It writes to stderr only, so that the stdout of `npm start --silent -- --json` stays clean.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);

const readPackages = (path) => JSON.parse(readFileSync(new URL(path, root), 'utf8')).packages;

/** npm keeps a copy of what it installed in node_modules/.package-lock.json and writes it last, so it tells the truth. */
const isInstalled = () => {
  if (!existsSync(new URL('node_modules/.package-lock.json', root)) || !existsSync(new URL('node_modules/.bin/node', root))) {
    return false;
  }
  const installed = readPackages('node_modules/.package-lock.json');
  return Object.entries(readPackages('package-lock.json')).every(
    ([path, wanted]) => path === '' || (installed[path] ? installed[path].version === wanted.version : wanted.optional === true),
  );
};

/** The npm that called us, run by its own Node: the one in node_modules is about to be replaced. */
const npmCi = () => {
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { npm_execpath: npm, npm_node_execpath: node = process.execPath } = process.env;
  const [command, commandArgs] = npm ? [node, [npm, ...args]] : ['npm', args];
  return spawnSync(command, commandArgs, { cwd: fileURLToPath(root), stdio: ['ignore', 2, 2] }).status ?? 1;
};

if (!isInstalled()) {
  process.stderr.write('setup: installing dependencies (npm ci), once per change of package-lock.json\n');
  process.exitCode = npmCi();
}
