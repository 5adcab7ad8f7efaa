import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

import { rolldown } from 'rolldown';

import { UsageError } from './host.js';

const folder = import.meta.dirname;

/** The adapters of our own hosts, and of those that the repository runs on: their packages are the repository's. */
const own: Readonly<Record<string, string>> = {
  interlock: 'interlock',
  'interlock-hold': 'interlock',
  'interlock-durable': 'interlock-durable',
  'interlock-mastra-agent': 'interlock-mastra-agent',
  'interlock-ai-sdk': 'interlock-ai-sdk',
  mastra: 'mastra',
  'mastra-workflow': 'mastra-workflow',
  'mastra-durable': 'mastra-durable',
  'ai-sdk': 'ai-sdk',
};
const others = ['openai-agents', 'langchain', 'voltagent', 'genkit', 'adk'];
export const known: readonly string[] = [...Object.keys(own), ...others];

/**
 * Bundles the adapters that run our sources, as the package is built. Running TypeScript directly would add work to each
 * function, and the measurement would include it. Each host has one copy, next to the repository's packages.
 */
const bundleOwn = async (): Promise<string> => {
  const dir = path.join(folder, '../node_modules/.cache/scorecard');
  const input = Object.fromEntries(Object.values(own).map((name) => [name, path.join(folder, `ours/${name}.ts`)]));
  const bundle = await rolldown({ input, platform: 'node', external: (id) => /^[@a-z]/u.test(id) && !path.isAbsolute(id) });
  await bundle.write({ dir, format: 'esm' });
  await bundle.close();
  return dir;
};

export interface Task {
  readonly file: string;
  /** The hosts of the module that are played. Default: all. */
  readonly ids: readonly string[];
}

const isFile = (host: string): boolean => /\.[mc]?[jt]s$/u.test(host);

/** An adapter by its file, relative to where the command was called: npm changes the folder of a script. */
const taskOfFile = (host: string): Task => {
  const file = path.resolve(process.env['INIT_CWD'] ?? process.cwd(), host);
  if (!existsSync(file)) throw new UsageError('scorecard/no-file', `there is no file ${file}`);
  return { file, ids: [] };
};

/** The tasks for the hosts that the command names: known hosts by id, adapters by file. Bundles our own hosts. */
export const tasksOf = async (hosts: readonly string[]): Promise<readonly Task[]> => {
  const unknown = hosts.filter((host) => !isFile(host) && !known.includes(host));
  if (unknown.length > 0)
    throw new UsageError(
      'scorecard/unknown-host',
      `there is no host "${unknown.join('", "')}"; known: ${known.join(', ')}; or pass the file of an adapter`,
    );
  const given = new Map(hosts.filter(isFile).map((host) => [host, taskOfFile(host)]));
  const dir = hosts.some((host) => host in own) ? await bundleOwn() : '';
  const fileOf = (host: string): string =>
    host in own ? path.join(dir, `${own[host]}.js`) : path.join(folder, `hosts/${host}.ts`);
  return hosts.map((host) => given.get(host) ?? { file: fileOf(host), ids: [host] });
};

/** Installs the packages of other vendors' hosts, where one of them is wanted and they are not yet installed. */
export const installOthers = (hosts: readonly string[]): void => {
  if (!hosts.some((host) => others.includes(host))) return;
  const { status } = spawnSync(process.execPath, [path.join(folder, '../scripts/setup.mjs'), 'scorecard'], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0)
    throw new UsageError(
      'scorecard/not-installed',
      'the hosts of other vendors could not be installed; --host mastra needs none',
    );
};
