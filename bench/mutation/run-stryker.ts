import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { reportFolder, unasked, type Report } from './scores.js';

const stryker = 'bench/mutation/node_modules/@stryker-mutator/core/bin/stryker.js';

/** Keeps the results of sampled changes for the next time. The others are removed: Stryker would reuse them as results. */
const forgetUnasked = (module: string): void => {
  const incrementalFile = `${reportFolder(module)}/incremental.json`;
  const report = JSON.parse(readFileSync(incrementalFile, 'utf8')) as Report; // as Stryker has just written it
  for (const file of Object.values(report.files)) file.mutants = file.mutants.filter(({ status }) => status !== unasked);
  writeFileSync(incrementalFile, JSON.stringify(report));
};

interface Options {
  /** Tests one of this many changes. Default: all. */
  readonly sample: number | undefined;
  /** Options for Stryker itself. */
  readonly options: readonly string[];
}

/** Changes a module, and runs its tests. */
export const runStryker = (module: string, { sample, options }: Options): number => {
  const args = [stryker, 'run', 'bench/mutation/stryker.config.mjs', ...options];
  const env = { ...process.env, ROOM: module, SAMPLE: sample?.toString() };
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
  if (status === 0 && sample !== undefined) forgetUnasked(module);
  return status ?? 1;
};
