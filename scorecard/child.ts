import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

import { costOf } from './cost.js';
import type { Host } from './host.js';
import { play, type Cell } from './play.js';
import { scenarios } from './scenarios/index.js';

/** Plays scenarios on the hosts of one module, in a process of its own, and sends a message per cell: `child.ts MODULE WANTED`. */
const [module = '', request = '{}'] = process.argv.slice(2);
const { prefixes = [], ids = [], cost = false } = JSON.parse(request) as { prefixes?: string[]; ids?: string[]; cost?: boolean };

// A promise that a host leaves without a reader must not end the measurement.
process.on('unhandledRejection', () => {});
process.on('uncaughtException', () => {});

/** The version in the `package.json` of a package, as the module finds it. */
const versionOf = (name: string): string => {
  if (name === 'mastra-interlock') return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
  const folders = createRequire(module).resolve.paths(name) ?? [];
  const file = folders.map((folder) => `${folder}/${name}/package.json`).find((it) => existsSync(it));
  return file ? JSON.parse(readFileSync(file, 'utf8')).version : 'not found';
};

const send = (message: object): Promise<void> => new Promise((resolve) => void process.send?.(message, () => resolve()));

const fields = ['id', 'name', 'packages', 'docs', 'hooks', 'keeps', 'open'];
const isObject = (it: unknown): it is Record<string, unknown> => typeof it === 'object' && it !== null;
const isHost = (it: unknown): it is Host => isObject(it) && fields.every((field) => field in it);

/** What the module exports; with a default export of a module that is no ES module, what that one exports. */
const exportsOf = async (): Promise<unknown[]> => {
  const all = (await import(pathToFileURL(module).href)) as Record<string, unknown>;
  return [...new Set([...Object.values(all), ...(isObject(all['default']) ? Object.values(all['default']) : [])])];
};

const fail = async (code: string, message: string): Promise<never> => {
  await send({ wrong: { code, message } });
  process.exit(1);
};

const exported = await exportsOf().catch((error: unknown) =>
  fail('scorecard/adapter-failed', `${module} cannot be loaded: ${String(error)}`),
);
const hosts = exported.filter(isHost);
if (hosts.length === 0) {
  const almost = exported.filter(isObject).find((it) => 'open' in it || 'hooks' in it);
  const missing = almost ? `; one export lacks: ${fields.filter((field) => !(field in almost)).join(', ')}` : '';
  await fail('scorecard/no-host', `${module} exports no object of the type Host (scorecard/host.ts)${missing}`);
}
const wanted = scenarios.filter(({ id }) => prefixes.length === 0 || prefixes.some((prefix) => id.startsWith(prefix)));
for (const host of hosts.filter(({ id }) => ids.length === 0 || ids.includes(id))) {
  const cells: Cell[] = [];
  for (const scenario of wanted) {
    const { id, promise } = scenario;
    const broken = (error: unknown): Cell[] => [
      { host: host.id, scenario: id, promise, mode: 'both', status: 'error', detail: `the adapter failed: ${String(error)}` },
    ];
    cells.push(...(await play(host, scenario).catch(broken)));
    await send({ progress: `${host.name}: ${id}` });
  }
  const { id, name, packages, docs } = host;
  const versions = Object.fromEntries(packages.map((it) => [it, versionOf(it)]));
  await send({ result: { id, name, versions, docs, ...(cost && { cost: await costOf(host) }), cells } });
}
process.exit(0);
