import { readFileSync } from 'node:fs';
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

const resolve = createRequire(module).resolve;

/** The version in the `package.json` that a package's entry belongs to. */
const versionOf = (name: string): string => {
  if (name === 'mastra-interlock') return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
  const entry = resolve(name);
  const folder = entry.slice(0, entry.lastIndexOf(`node_modules/${name}`) + `node_modules/${name}`.length);
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).version;
};

const send = (message: object): void => void process.send?.(message);
const isHost = (it: unknown): it is Host => typeof it === 'object' && it !== null && 'open' in it && 'hooks' in it;

const hosts = Object.values((await import(pathToFileURL(module).href)) as Record<string, unknown>).filter(isHost);
const wanted = scenarios.filter(({ id }) => prefixes.length === 0 || prefixes.some((prefix) => id.startsWith(prefix)));
for (const host of hosts.filter(({ id }) => ids.length === 0 || ids.includes(id))) {
  const cells: Cell[] = [];
  for (const scenario of wanted) {
    const { id, promise } = scenario;
    const broken = (error: unknown): Cell[] => [
      { host: host.id, scenario: id, promise, mode: 'both', status: 'fails', detail: `the adapter failed: ${String(error)}` },
    ];
    cells.push(...(await play(host, scenario).catch(broken)));
    send({ progress: `${host.name}: ${id}` });
  }
  const { id, name, packages, docs } = host;
  const versions = Object.fromEntries(packages.map((it) => [it, versionOf(it)]));
  send({ result: { id, name, versions, docs, ...(cost && { cost: await costOf(host) }), cells } });
}
process.exit(0);
