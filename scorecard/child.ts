import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { loadHosts, tryHost } from './adapter.js';
import { costOf } from './cost.js';
import { UsageError, type Host } from './host.js';
import { play, type Cell } from './play.js';
import type { HostResult } from './results.js';
import { isNamed, scenarios } from './scenarios/index.js';

/** Plays scenarios on the hosts of one module, in a process of its own, and sends a message per scenario: `child.ts MODULE WANTED`. */
const [module = '', request = '{}'] = process.argv.slice(2);

/** The scenarios to play on the hosts of a module. */
export interface Selection {
  /** Ids of scenarios begin with one of these, at a hyphen. None: all scenarios. */
  readonly prefixes: readonly string[];
  /** Ids of hosts. None: all of the module. */
  readonly ids: readonly string[];
  readonly cost: boolean;
  readonly limitMs: number;
}

/** A message from the process: its progress, the result of a host, or the reason why there is none. */
export interface Message {
  readonly progress?: string;
  readonly result?: HostResult;
  readonly wrong?: { readonly code: UsageError['code']; readonly message: string };
}

const { prefixes, ids, cost, limitMs } = JSON.parse(request) as Selection;

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

const send = (message: Message): Promise<void> => new Promise((resolve) => void process.send?.(message, () => resolve()));

const selected = scenarios.filter(({ id }) => prefixes.length === 0 || prefixes.some((words) => isNamed(id, words)));

const cellsOf = async (host: Host): Promise<Cell[]> => {
  const cells: Cell[] = [];
  for (const [at, scenario] of selected.entries()) {
    const { id, promise } = scenario;
    await send({ progress: `${host.name}: ${id} (${at + 1} of ${selected.length})` });
    const broken = (error: unknown): Cell[] => [
      { host: host.id, scenario: id, promise, mode: 'both', status: 'error', detail: `the adapter failed: ${String(error)}` },
    ];
    cells.push(...(await play(host, scenario, limitMs).catch(broken)));
  }
  return cells;
};

const costFailed = (error: unknown): never => {
  throw new UsageError('scorecard/adapter-failed', `its cost cannot be measured (--no-cost leaves that out): ${String(error)}`);
};

const run = async (): Promise<void> => {
  const hosts = await loadHosts(module, limitMs);
  for (const host of hosts.filter(({ id }) => ids.length === 0 || ids.includes(id))) {
    await send({ progress: `${host.name}: a plain run` });
    await tryHost(host, limitMs);
    const cells = await cellsOf(host);
    const measured = cost && (await costOf(host, (part) => void send({ progress: `${host.name}: ${part}` })).catch(costFailed));
    const { id, name, packages, docs } = host;
    const versions = Object.fromEntries(packages.map((it) => [it, versionOf(it)]));
    await send({ result: { id, name, versions, docs, ...(measured && { cost: measured }), cells } });
  }
};

await run().catch(async (error: unknown) => {
  const code = error instanceof UsageError ? error.code : 'scorecard/adapter-failed';
  await send({ wrong: { code, message: error instanceof Error ? error.message : String(error) } });
});
process.exit();
