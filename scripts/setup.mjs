/**
 * Installs the dependencies when the installed ones are not those of package-lock.json, and does nothing otherwise.
 * `npm start` and `npm test` run it first. `node scripts/setup.mjs test/hosts` does the same for a test package with a
 * package.json of its own, after the root's. Plain JavaScript without imports from npm: it must run before any install, on
 * Node 20. It writes to stderr only, so that the stdout of `npm start --silent -- --json` stays clean.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);

const readJson = (path) => JSON.parse(readFileSync(new URL(path, root), 'utf8'));

/** npm keeps a copy of what it installed in node_modules/.package-lock.json and writes it last, so it tells the truth. */
const isInstalled = (folder) => {
  const installedLock = `${folder}node_modules/.package-lock.json`;
  if (!existsSync(new URL(installedLock, root))) return false;
  const installed = readJson(installedLock).packages;
  return Object.entries(readJson(`${folder}package-lock.json`).packages).every(
    ([path, wanted]) => path === '' || (installed[path] ? installed[path].version === wanted.version : wanted.optional === true),
  );
};

/** The npm that called us, run by its own Node: the one in node_modules is about to be replaced. */
const npmCi = (folder) => {
  process.stderr.write(`setup: installing dependencies (npm ci in ./${folder}), once per change of package-lock.json\n`);
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { npm_execpath: npm, npm_node_execpath: node = process.execPath } = process.env;
  const [command, commandArgs] = npm ? [node, [npm, ...args]] : ['npm', args];
  return spawnSync(command, commandArgs, { cwd: fileURLToPath(new URL(folder, root)), stdio: ['ignore', 2, 2] }).status ?? 1;
};

/**
 * Keeps one copy of each host: a copy among a test package's dependencies would hide the root's copy. A host that the package
 * itself names is kept.
 */
const dropHosts = (folder) => {
  const { dependencies, devDependencies } = readJson(`${folder}package.json`);
  const named = { ...dependencies, ...devDependencies };
  for (const name of Object.keys(readJson('package.json').peerDependencies)) {
    if (!Object.hasOwn(named, name)) rmSync(new URL(`${folder}node_modules/${name}`, root), { recursive: true, force: true });
  }
};

const setUpRoot = () => (existsSync(new URL('node_modules/.bin/node', root)) && isInstalled('') ? 0 : npmCi(''));

const setUpPackage = (folder) => {
  const status = isInstalled(folder) ? 0 : npmCi(folder);
  dropHosts(folder);
  return status;
};

let status = setUpRoot();
for (const folder of process.argv.slice(2)) status ||= setUpPackage(`${folder}/`);
process.exitCode = status;
